#include "app/telemetry_budget.h"

#include <algorithm>
#include <cmath>

namespace app {

namespace {
// Of the budget; the rest is for the urgent, and for a period with a picture more than the last.
constexpr double kInTurn = 0.9;
}  // namespace

bool TelemetryBudget::grant(Turn& turn, unsigned cost, bool urgent, base::Time now) {
  if (now >= period_end_) begin_period(now);
  asked_ += cost;
  const unsigned every_nth = this->every_nth();
  const bool its_turn = every_nth > 0 && turn++ % every_nth == 0;
  if (!(its_turn || urgent) || left_ < cost) return false;
  left_ -= cost;
  return true;
}

void TelemetryBudget::begin_period(base::Time now) {
  // A loop that has been idle has asked for nothing: a longer period counts as one.
  const double in_turn = kInTurn * per_second_ * base::seconds(kPeriod);
  if (per_second_ > 0) {
    every_nth_ = std::max(1u, static_cast<unsigned>(std::ceil(asked_ / in_turn)));
  }
  period_end_ = now + kPeriod;
  asked_ = 0;
  left_ = per_second_ * base::seconds(kPeriod);
}

LoopBudgets::LoopBudgets(int loops, const TelemetrySettings& settings) {
  for (int i = 0; i < loops; ++i) loops_.emplace_back(settings);
}

std::vector<LoopBudgets::State> LoopBudgets::states() const {
  std::vector<State> states;
  for (const auto& telemetry : loops_) {
    states.push_back({static_cast<int>(states.size()), telemetry.samples.every_nth(),
                      telemetry.marks.every_nth()});
  }
  return states;
}

}  // namespace app
