#include "app/tcp/telemetry_budget.h"

#include <algorithm>
#include <cmath>

namespace app {

namespace {
// Share of the budget that is granted in turn; urgent requests may take the rest. A larger share
// leaves congested viewers fewer samples. A smaller one slows the turns of all viewers; without any
// bound, enough congested viewers would leave the others nothing while the congestion lasts.
constexpr double kInTurnShare = 0.9;
}  // namespace

bool TelemetryBudget::grant(Turn& turn, unsigned cost, bool urgent, base::Time now) {
  if (now >= period_end_) begin_period(now);
  requested_ += cost;
  const unsigned every_nth = this->every_nth();
  const bool its_turn = every_nth > 0 && turn++ % every_nth == 0;
  if (remaining_ < cost || (!its_turn && (!urgent || urgent_remaining_ < cost))) return false;
  remaining_ -= cost;
  if (!its_turn) urgent_remaining_ -= cost;
  return true;
}

void TelemetryBudget::begin_period(base::Time now) {
  // An idle loop has requested nothing, so a longer period counts as one.
  const double in_turn = kInTurnShare * per_second_ * base::seconds(kBudgetPeriod);
  if (per_second_ > 0) {
    every_nth_ = std::max(1u, static_cast<unsigned>(std::ceil(requested_ / in_turn)));
  }
  period_end_ = now + kBudgetPeriod;
  requested_ = 0;
  remaining_ = per_second_ * base::seconds(kBudgetPeriod);
  urgent_remaining_ = remaining_ - in_turn;
}

LoopBudgets::LoopBudgets(int loops, const TelemetrySettings& settings) {
  for (int i = 0; i < loops; ++i) loops_.emplace_back(settings);
}

std::vector<LoopBudgets::State> LoopBudgets::states() const {
  std::vector<State> states;
  for (const auto& telemetry : loops_) {
    states.push_back({static_cast<int>(states.size()), telemetry.samples.every_nth(),
                      telemetry.ack_timestamps.every_nth()});
  }
  return states;
}

}  // namespace app
