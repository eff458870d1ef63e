#pragma once

#include <optional>

#include "abr/rate_policy.h"

namespace abr {

/// The rule for a player who loads segments, and holds some before he shows them: his rate is a
/// share of what his transfers carry, at once when that is less, by and by when it is more; lower
/// still while he waits for what has been made. As RatePolicy: pure, one instance per viewer.
class TransferPolicy {
 public:
  /// `part`: of what he loads, he has three or more in hand.
  TransferPolicy(const RateLimits& limits, base::Duration part)
      : limits_{limits}, part_{part}, rate_{limits.start} {}

  /// `carries`: TransferRate::value. `late`: how long the oldest of what is not
  /// acknowledged has been there to be loaded.
  Decision decide(std::optional<base::BitRate> carries, base::Duration late,
                  const Transport& transport, base::Time now);
  base::BitRate rate() const { return rate_; }
  bool is_late(base::Duration late) const;

 private:
  double drain(base::Duration late) const;

  const RateLimits limits_;
  const base::Duration part_;
  base::BitRate rate_;
  base::Time changed_{};
};

}  // namespace abr
