#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace app {

/// Least number of inserted, deleted, replaced or swapped neighbouring letters (optimal string
/// alignment).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The word that was probably meant by `written`, or empty: at most a third of its letters differ.
std::string nearest(std::string_view written, const std::vector<std::string>& words);

}  // namespace app
