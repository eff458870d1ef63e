#include "abr/ladder/assignment.h"

#include <limits>

namespace abr {

namespace {

constexpr std::size_t kNoColumn = -1;
constexpr std::size_t kNoRow = -1;

/// The columns of the rows added so far, and the prices that prove the pairing optimal: the prices
/// of a row and a column sum to their cost if they are paired, and to no more if they are not.
class Pairing {
 public:
  explicit Pairing(const Costs& costs)
      : costs_{costs},
        row_prices_(costs.size()),
        row_of_(costs.front().size(), kNoRow),
        column_prices_(costs.front().size()) {}

  void add(std::size_t row);
  std::vector<std::size_t> columns() const;

 private:
  struct Step {
    double distance = std::numeric_limits<double>::infinity();
    std::size_t from = kNoColumn;  ///< previous column of the shortest path; none: the new row
    bool done = false;             ///< the distance is final
  };

  void reach(std::vector<Step>& steps, std::size_t row, std::size_t from, double distance) const;
  static std::size_t nearest(const std::vector<Step>& steps);

  const Costs& costs_;
  std::vector<double> row_prices_;
  std::vector<std::size_t> row_of_;  ///< per column
  std::vector<double> column_prices_;
};

/// Takes a column from another row, which takes one from the next row, and so on to a free column:
/// the cheapest such path, by Dijkstra's algorithm over the costs in excess of the prices.
void Pairing::add(std::size_t row) {
  std::vector<Step> steps(row_of_.size());
  reach(steps, row, kNoColumn, 0);
  std::size_t column = nearest(steps);
  while (row_of_[column] != kNoRow) {
    steps[column].done = true;
    reach(steps, row_of_[column], column, steps[column].distance);
    column = nearest(steps);
  }
  const double length = steps[column].distance;
  row_prices_[row] += length;
  for (std::size_t c = 0; c < steps.size(); ++c) {
    if (!steps[c].done) continue;
    row_prices_[row_of_[c]] += length - steps[c].distance;
    column_prices_[c] -= length - steps[c].distance;
  }
  for (; steps[column].from != kNoColumn; column = steps[column].from) {
    row_of_[column] = row_of_[steps[column].from];
  }
  row_of_[column] = row;
}

void Pairing::reach(std::vector<Step>& steps, std::size_t row, std::size_t from,
                    double distance) const {
  for (std::size_t c = 0; c < steps.size(); ++c) {
    const double further = distance + costs_[row][c] - row_prices_[row] - column_prices_[c];
    if (!steps[c].done && further < steps[c].distance) {
      steps[c].distance = further;
      steps[c].from = from;
    }
  }
}

std::size_t Pairing::nearest(const std::vector<Step>& steps) {
  std::size_t best = kNoColumn;
  for (std::size_t c = 0; c < steps.size(); ++c) {
    if (!steps[c].done && (best == kNoColumn || steps[c].distance < steps[best].distance)) best = c;
  }
  return best;
}

std::vector<std::size_t> Pairing::columns() const {
  std::vector<std::size_t> result(row_prices_.size());
  for (std::size_t c = 0; c < row_of_.size(); ++c) {
    if (row_of_[c] != kNoRow) result[row_of_[c]] = c;
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
