#include "abr/ladder/ladder_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace abr {

namespace {

// A plan has no more groups than it takes to be within this many nats per viewer of the best: 0.5 %
// of the rate. Each group costs an encoder. A larger loss saves more of them. Not measured against
// other values.
constexpr double kMaxPlanLoss = 0.005;

double log_of(base::BitRate rate) { return std::log(static_cast<double>(rate.bps())); }

double value_of_logs(double s, double r) { return s >= r ? r : s - kSkipPenalty * (r - s); }

/// The bins, with sums that turn the value of any group of bins into one subtraction.
class Cells {
 public:
  explicit Cells(const RateHistogram& histogram);

  std::size_t size() const { return rates_.size(); }
  base::BitRate rate(std::size_t cell) const { return rates_[cell]; }

  /// The cell whose rate the group [first, last] gets. `from`: that of [first, last - 1].
  std::size_t rate_cell(std::size_t first, std::size_t last, std::size_t from) const;
  /// The sum of the values of the group [first, last] at the rate of `cell`.
  double value(std::size_t first, std::size_t last, std::size_t cell) const;

 private:
  std::size_t viewers(std::size_t begin, std::size_t end) const {
    return count_[end] - count_[begin];
  }

  std::vector<base::BitRate> rates_;
  std::vector<double> logs_;
  std::vector<std::size_t> count_{0};  ///< viewers before each cell
  std::vector<double> sum_{0};         ///< sum of the logarithms of their rates
};

Cells::Cells(const RateHistogram& histogram) {
  const std::size_t merged = (histogram.bins().size() + kMaxPlanCells - 1) / kMaxPlanCells;
  std::size_t bins = 0;
  for (const auto& [index, bin] : histogram.bins()) {
    if (bins++ % merged == 0) {
      rates_.push_back(bin.lowest);
      logs_.push_back(log_of(bin.lowest));
      count_.push_back(count_.back());
      sum_.push_back(sum_.back());
    }
    count_.back() += bin.viewers;
    sum_.back() += static_cast<double>(bin.viewers) * logs_.back();
  }
}

std::size_t Cells::rate_cell(std::size_t first, std::size_t last, std::size_t from) const {
  const std::size_t n = viewers(first, last + 1);
  const auto behind = static_cast<std::size_t>(kLeftBehindShare * static_cast<double>(n));
  std::size_t cell = from;
  while (viewers(first, cell + 1) <= behind) ++cell;
  return cell;
}

double Cells::value(std::size_t first, std::size_t last, std::size_t cell) const {
  const auto behind = static_cast<double>(viewers(first, cell));
  const auto served = static_cast<double>(viewers(cell, last + 1));
  const double r = logs_[cell];
  return served * r + (1 + kSkipPenalty) * (sum_[cell] - sum_[first]) - behind * kSkipPenalty * r;
}

/// The best way to serve the cells before a given end with a given number of groups.
struct Best {
  double value = -std::numeric_limits<double>::infinity();
  std::size_t first = 0;  ///< first cell of the last group
  std::size_t rate = 0;   ///< cell whose rate the last group gets
};

/// Returns best[k][end] for k groups.
std::vector<std::vector<Best>> solve(const Cells& cells, std::size_t groups) {
  const std::size_t n = cells.size();
  std::vector<std::vector<Best>> best(groups + 1, std::vector<Best>(n + 1));
  best[0][0].value = 0;
  for (std::size_t first = 0; first < n; ++first) {
    std::size_t rate = first;
    for (std::size_t last = first; last < n; ++last) {
      rate = cells.rate_cell(first, last, rate);
      const double value = cells.value(first, last, rate);
      for (std::size_t k = 1; k <= groups; ++k) {
        const double sum = best[k - 1][first].value + value;
        if (sum > best[k][last + 1].value) best[k][last + 1] = {sum, first, rate};
      }
    }
  }
  return best;
}

}  // namespace

double value(base::BitRate sustains, base::BitRate rate) {
  return value_of_logs(log_of(sustains), log_of(rate));
}

base::BitRate shared_rate(const RateHistogram& members) {
  const Cells cells{members};
  return cells.rate(cells.rate_cell(0, cells.size() - 1, 0));
}

const Rung& rung_of(base::BitRate sustains, const Plan& plan) {
  const auto above = std::ranges::upper_bound(plan, sustains, {}, &Rung::lowest);
  return above == plan.begin() ? *above : *std::prev(above);
}

Plan plan_ladder(const RateHistogram& viewers, std::size_t groups) {
  const Cells cells{viewers};
  const auto best = solve(cells, std::min(groups, cells.size()));
  const auto value = [&](const auto& of_k) { return of_k.back().value; };
  const double enough = value(*std::ranges::max_element(best, {}, value)) -
                        kMaxPlanLoss * static_cast<double>(viewers.viewers());
  auto k = std::ranges::find_if(best, [&](const auto& of_k) { return value(of_k) >= enough; }) -
           best.begin();
  Plan plan;
  for (std::size_t end = cells.size(); end > 0; --k) {
    const Best& last = best[static_cast<std::size_t>(k)][end];
    plan.push_back({cells.rate(last.rate), cells.rate(last.first)});
    end = last.first;
  }
  std::ranges::reverse(plan);
  return plan;
}

}  // namespace abr
