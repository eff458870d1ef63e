#pragma once

#include <cstddef>
#include <vector>

namespace abr {

/// costs[row][column]; all rows have the same length.
using Costs = std::vector<std::vector<double>>;

/// Returns a different column for each row such that the sum of costs is minimal. REQUIRES: no more
/// rows than columns. The Hungarian method by shortest augmenting paths, O(rows^2 x columns):
/// Jonker and Volgenant, "A shortest augmenting path algorithm for dense and sparse linear
/// assignment problems", Computing 38 (1987).
std::vector<std::size_t> assign(const Costs& costs);

}  // namespace abr
