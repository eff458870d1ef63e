#include "abr/ladder/assignment.h"

#include <limits>

namespace abr {

namespace {

constexpr std::size_t kNone = -1;

/// Rows that have columns so far, and the prices that prove that none could do better: a row's and
/// a column's sum is at most the cost of the two, and equal where they are paired.
class Pairing {
 public:
  explicit Pairing(const Costs& costs)
      : costs_{costs},
        of_row_(costs.size()),
        row_of_(costs.front().size(), kNone),
        of_column_(costs.front().size()) {}

  void add(std::size_t row);
  std::vector<std::size_t> columns() const;

 private:
  struct Step {
    double distance = std::numeric_limits<double>::infinity();
    std::size_t from = kNone;  ///< the column before, on the shortest way; none: the new row
    bool done = false;
  };

  void reach(std::vector<Step>& steps, std::size_t row, std::size_t from, double distance) const;
  static std::size_t nearest(const std::vector<Step>& steps);

  const Costs& costs_;
  std::vector<double> of_row_;  ///< prices
  std::vector<std::size_t> row_of_;
  std::vector<double> of_column_;  ///< prices
};

/// By the cheapest way of taking a column from another row, that one's from the next, and so on up
/// to a free one: Dijkstra's, over what the costs are above the prices.
void Pairing::add(std::size_t row) {
  std::vector<Step> steps(row_of_.size());
  reach(steps, row, kNone, 0);
  std::size_t column = nearest(steps);
  while (row_of_[column] != kNone) {
    steps[column].done = true;
    reach(steps, row_of_[column], column, steps[column].distance);
    column = nearest(steps);
  }
  const double length = steps[column].distance;
  of_row_[row] += length;
  for (std::size_t c = 0; c < steps.size(); ++c) {
    if (!steps[c].done) continue;
    of_row_[row_of_[c]] += length - steps[c].distance;
    of_column_[c] -= length - steps[c].distance;
  }
  for (; steps[column].from != kNone; column = steps[column].from) {
    row_of_[column] = row_of_[steps[column].from];
  }
  row_of_[column] = row;
}

void Pairing::reach(std::vector<Step>& steps, std::size_t row, std::size_t from,
                    double distance) const {
  for (std::size_t c = 0; c < steps.size(); ++c) {
    const double further = distance + costs_[row][c] - of_row_[row] - of_column_[c];
    if (!steps[c].done && further < steps[c].distance) {
      steps[c].distance = further;
      steps[c].from = from;
    }
  }
}

std::size_t Pairing::nearest(const std::vector<Step>& steps) {
  std::size_t best = kNone;
  for (std::size_t c = 0; c < steps.size(); ++c) {
    if (!steps[c].done && (best == kNone || steps[c].distance < steps[best].distance)) best = c;
  }
  return best;
}

std::vector<std::size_t> Pairing::columns() const {
  std::vector<std::size_t> result(of_row_.size());
  for (std::size_t c = 0; c < row_of_.size(); ++c) {
    if (row_of_[c] != kNone) result[row_of_[c]] = c;
  }
  return result;
}

}  // namespace

std::vector<std::size_t> assign(const Costs& costs) {
  if (costs.empty()) return {};
  Pairing pairing{costs};
  for (std::size_t row = 0; row < costs.size(); ++row) pairing.add(row);
  return pairing.columns();
}

}  // namespace abr
