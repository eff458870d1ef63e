#pragma once

namespace ladder_bench {

/// Prints time and memory of the planner for 10 to 100,000 viewers.
void print_planner_cost(unsigned seed);

}  // namespace ladder_bench
