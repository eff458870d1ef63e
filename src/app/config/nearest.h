#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace app {

/// Minimum number of edits between the words: letters inserted, deleted or replaced, or
/// neighbouring letters swapped (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The word probably meant by `written`: at most a third of its letters differ. Empty if none is.
std::string nearest(std::string_view written, const std::vector<std::string>& words);

}  // namespace app
