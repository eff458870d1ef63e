#include "abr/ladder/assignment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace abr {
namespace {

double sum(const Costs& costs, const std::vector<std::size_t>& columns) {
  double result = 0;
  for (std::size_t row = 0; row < costs.size(); ++row) result += costs[row][columns[row]];
  return result;
}

/// The lowest sum of all assignments.
double least(const Costs& costs) {
  std::vector<std::size_t> columns(costs.front().size());
  std::iota(columns.begin(), columns.end(), 0);
  double result = sum(costs, columns);
  while (std::ranges::next_permutation(columns).found)
    result = std::min(result, sum(costs, columns));
  return result;
}

TEST(AssignmentTest, NoRowsNeedNoColumns) { EXPECT_TRUE(assign({}).empty()); }

TEST(AssignmentTest, TakesAColumnFromAnotherRowIfThatIsCheaper) {
  EXPECT_EQ(assign({{1, 2}, {1, 9}}), (std::vector<std::size_t>{1, 0}));
}

TEST(AssignmentTest, LeavesOutTheCostliestColumns) {
  EXPECT_EQ(assign({{5, 1, 9}}), (std::vector<std::size_t>{1}));
}

TEST(AssignmentTest, IsOptimalForRandomCosts) {
  std::mt19937 random{1};
  for (int i = 0; i < 500; ++i) {
    const std::size_t rows = 1 + random() % 6;
    const std::size_t columns = rows + random() % 2;
    Costs costs(rows, std::vector<double>(columns));
    for (auto& row : costs) {
      for (auto& cost : row) cost = static_cast<double>(random() % 20) - 10;
    }
    const auto assigned = assign(costs);
    auto distinct = assigned;
    std::ranges::sort(distinct);
    ASSERT_EQ(std::ranges::adjacent_find(distinct), distinct.end());
    ASSERT_DOUBLE_EQ(sum(costs, assigned), least(costs)) << i;
  }
}

}  // namespace
}  // namespace abr
