#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "base/units.h"

namespace sim {

/// What the sender's TCP tells the application in one step.
struct PathEvents {
  unsigned rexmt = 0;
  unsigned dupack = 0;
};

/// A TCP connection over one bottleneck as a fluid, in virtual time:
///
///   application ──▶ [ unsent | bottleneck queue ≤ `queue` ] ──▶ capacity(t) ──▶ delay ──▶ viewer
///
/// TCP puts as much as its window allows into the bottleneck's queue. Where that overflows it,
/// there is a loss, told as DUPACK one round trip later, once per round trip. While nothing arrives
/// for an RTO, each expiry is a REXMT, with the RTO doubling (RFC 6298).
class FluidPath {
 public:
  static constexpr base::ByteCount kUnlimited{std::numeric_limits<std::int64_t>::max()};
  using Capacity = std::function<base::BitRate(base::Duration since_start)>;

  FluidPath(Capacity capacity, base::Duration round_trip, base::ByteCount queue,
            base::ByteCount window = kUnlimited)
      : capacity_{std::move(capacity)}, round_trip_{round_trip}, queue_{queue}, window_{window} {}

  /// The application hands over `frame`, then `step` passes.
  PathEvents advance(base::ByteCount frame, base::Duration step);

  /// How long a byte handed over now takes to the viewer.
  base::Duration delay() const;
  /// What neither the window nor the bottleneck's queue has room for waits at the sender.
  base::ByteCount unsent() const { return backlog_ - std::min({backlog_, queue_, window_}); }
  base::Duration smoothed_rtt() const { return round_trip_ + queueing(); }
  base::BitRate capacity() const { return capacity_(elapsed_); }

 private:
  base::Duration queueing() const;
  unsigned expired_timers(bool progress, base::Duration step);

  const Capacity capacity_;
  const base::Duration round_trip_;
  const base::ByteCount queue_;
  const base::ByteCount window_;
  base::Duration elapsed_{};
  base::ByteCount backlog_;
  base::Duration no_progress_{};
  base::Duration rto_{};
  std::optional<base::Duration> lost_at_;  ///< a loss that is not told yet
};

}  // namespace sim
