#include "app/segments/session_rate.h"

#include <algorithm>

#include "app/segments/declared.h"

namespace app {

namespace {

// How long responses report duress after a loss. A retransmission takes a few round trips, and data
// sent in that time may be stuck behind it.
constexpr base::Duration kDuressAfterLoss = std::chrono::seconds{1};
// How long a connection's throughput counts: longer than a connection pauses while its player loads
// video and audio alternately. A longer time would keep values of a path that has changed.
constexpr base::Duration kMaxReportAge = std::chrono::seconds{1};
// Busy connections measured within this time share the path: one and a half of the 200 ms over
// which a throughput is measured.
constexpr base::Duration kConcurrentWindow = std::chrono::milliseconds{300};

}  // namespace

abr::Decision SessionRate::report(ConnectionId connection, const ConnectionReport& report,
                                  base::Time now) {
  auto& known = connections_[connection];
  known.report = report;
  if (report.lost) known.lost_at = now;
  const auto current = current_throughput(now);
  if (current) throughput_ = current;
  return policy_.decide({current, is_silent(), late()}, transport_, now);
}

void SessionRate::forget(ConnectionId connection, const abr::TransferRate& measured) {
  connections_.erase(connection);
  ended_ = measured;
}

abr::TransferRate SessionRate::transfer_rate() const {
  abr::TransferRate rate;
  rate.follow(ended_);
  rate.assume(throughput_);
  return rate;
}

/// The summed throughput of connections that are busy at the same time, as they share the path; or
/// that of the fastest connection if it is higher, as that one had the least competition. A stalled
/// connection, whose player reads less than it has requested, does not count. nullopt if no
/// connection has been measured lately.
std::optional<base::BitRate> SessionRate::current_throughput(base::Time now) const {
  std::optional<base::BitRate> most;
  base::BitRate sum;
  for (const auto& [id, connection] : connections_) {
    const auto& report = connection.report;
    if (now - report.measured >= kMaxReportAge || !report.throughput) continue;
    most = std::max(most, report.throughput);
    if (report.busy && now - report.measured < kConcurrentWindow) sum = sum + *report.throughput;
  }
  return sum > most.value_or(base::BitRate{}) ? sum : most;
}

bool SessionRate::is_silent() const {
  return std::ranges::any_of(connections_,
                             [](const auto& known) { return known.second.report.silent; });
}

base::Duration SessionRate::late() const {
  base::Duration most{};
  for (const auto& [id, connection] : connections_) most = std::max(most, connection.report.late);
  return most;
}

segments::CmsdDynamic SessionRate::dynamics(ConnectionId connection, base::BitRate audio,
                                            base::Time now) const {
  segments::CmsdDynamic result{.max_suggested = declared_peak(rate() + audio)};
  result.estimated_throughput = throughput_;
  const auto found = connections_.find(connection);
  if (found == connections_.end()) return result;
  if (found->second.report.rtt > base::Duration{}) result.round_trip = found->second.report.rtt;
  const bool lost =
      found->second.lost_at > base::Time{} && now - found->second.lost_at < kDuressAfterLoss;
  result.duress = lost || policy_.is_late(late());
  return result;
}

}  // namespace app
