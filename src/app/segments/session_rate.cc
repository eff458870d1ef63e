#include "app/segments/session_rate.h"

#include <algorithm>

#include "app/segments/declared.h"

namespace app {

namespace {

// A lost packet is on the way again within a few round trips: what is sent that long after it may
// stand behind it.
constexpr base::Duration kDuress = std::chrono::seconds{1};
// Audio and frames are loaded side by side, or one after the other.
constexpr base::Duration kTogether = std::chrono::seconds{1};
constexpr base::Duration kSideBySide = std::chrono::milliseconds{300};  // a slice of each, and half

}  // namespace

abr::Decision SessionRate::report(ConnectionId connection, const ConnectionReport& report,
                                  base::Time now) {
  auto& known = connections_[connection];
  known.report = report;
  if (report.lost) known.lost_at = now;
  const auto all = carries(now);
  if (all) carried_ = all;
  return policy_.decide(all, late(), transport_, now);
}

/// Side by side, connections share the path. Of others that have carried lately the one that
/// carried more had less beside it. One that stands, because its player has asked for more than he
/// reads, says nothing of the path now. Empty: none has carried lately.
std::optional<base::BitRate> SessionRate::carries(base::Time now) const {
  std::optional<base::BitRate> most;
  base::BitRate sum;
  for (const auto& [id, connection] : connections_) {
    const auto& report = connection.report;
    if (now - report.measured >= kTogether || !report.carries) continue;
    most = std::max(most, report.carries);
    if (report.busy && now - report.measured < kSideBySide) sum = sum + *report.carries;
  }
  return sum > most.value_or(base::BitRate{}) ? sum : most;
}

base::Duration SessionRate::late() const {
  base::Duration most{};
  for (const auto& [id, connection] : connections_) most = std::max(most, connection.report.late);
  return most;
}

segments::CmsdDynamic SessionRate::dynamics(ConnectionId connection, base::BitRate audio,
                                            base::Time now) const {
  segments::CmsdDynamic result{.max_suggested = declared_peak(rate() + audio)};
  result.estimated_throughput = carried_;
  const auto own = connections_.find(connection);
  if (own == connections_.end()) return result;
  if (own->second.report.rtt > base::Duration{}) result.round_trip = own->second.report.rtt;
  const bool lost = own->second.lost_at > base::Time{} && now - own->second.lost_at < kDuress;
  result.duress = lost || policy_.is_late(late());
  return result;
}

}  // namespace app
