#pragma once

#include "base/units.h"

/// The operator's settings of the rate control, with their built-in defaults.
namespace abr {

struct RateLimits {
  base::BitRate min = base::BitRate::kbps(100);
  base::BitRate max = base::BitRate::mbps(5);
  base::BitRate start = base::BitRate::mbps(2);
};

/// Those after kOff are abr/comparison's, which the product lacks.
enum class PolicyKind {
  kSymbiosis,
  kItcp,
  kOff,
  kDbr,
  kDelivery,
  kGcc,
  kPudica,
  kCamel,
  kVidaptive
};

/// The rule of Khan and Zaghal 2003 (paper 003), see abr/policy/itcp_policy.h.
struct ItcpSettings {
  double retraction = 0.55;  ///< paper's ALPHA: rate after an event / rate before it
  /// Events within this many round trips after a retraction belong to it ("lazy").
  double guard_rtts = 1;
  /// Quiet time before the first restoring step; doubles with each repeated event ("binary").
  base::Duration hold = std::chrono::seconds{1};
  base::Duration hold_max = std::chrono::seconds{16};
  /// While more than this is unsent, the connection is not quiet and the rate does not rise.
  base::Duration quiet_backlog = std::chrono::milliseconds{100};
  double restore_step = 0.10;  ///< share of the ceiling added by each step
  base::Duration restore_interval = std::chrono::seconds{1};  ///< between steps
};

/// Encoders per stream, at most, if the settings do not say so. That many rates a quarter apart, as
/// single viewers in a crowd get them, reach from 300 kbit/s to 8 Mbit/s. More groups take more CPU
/// time and gain less each (docs/decisions/0011).
inline constexpr std::size_t kMostGroups = 16;

struct GroupSettings {
  int max = 0;                                      ///< encoders per stream; 0: see kMostGroups
  base::Duration linger = std::chrono::seconds{5};  ///< how long an empty group stays
  /// Share of the CPUs that the encoders of all streams may use. The rest is for the source, the
  /// event loops, and frames that cost more than the mean: they vary by a fifth (bench/encoder).
  double cpu = 0.8;

  bool operator==(const GroupSettings&) const = default;
};

struct Settings {
  PolicyKind policy = PolicyKind::kSymbiosis;
  RateLimits rate;
  ItcpSettings itcp;
  GroupSettings groups;
};

}  // namespace abr
