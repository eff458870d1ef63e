#include "app/tcp/telemetry_budget.h"

#include <algorithm>
#include <cmath>

namespace app {

namespace {
// Of the budget. The rest is for the urgent: were it not bounded, enough of them would leave
// nothing to the others for as long as the congestion lasts.
constexpr double kInTurn = 0.9;
}  // namespace

bool TelemetryBudget::grant(Turn& turn, unsigned cost, bool urgent, base::Time now) {
  if (now >= period_end_) begin_period(now);
  asked_ += cost;
  const unsigned every_nth = this->every_nth();
  const bool its_turn = every_nth > 0 && turn++ % every_nth == 0;
  if (left_ < cost || (!its_turn && (!urgent || urgent_left_ < cost))) return false;
  left_ -= cost;
  if (!its_turn) urgent_left_ -= cost;
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
  urgent_left_ = left_ - in_turn;
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
