#pragma once

#include "base/units.h"

/// What the operator chooses about control; the values are the built-in defaults.
namespace abr {

struct RateLimits {
  base::BitRate min = base::BitRate::kbps(300);
  base::BitRate max = base::BitRate::mbps(5);
  base::BitRate start = base::BitRate::mbps(2);
};

/// The last three are abr/comparison's, which the product lacks.
enum class PolicyKind { kSymbiosis, kItcp, kOff, kDbr, kDelivery, kGcc };

/// The rule of Khan and Zaghal 2003 (paper 003): see abr/policy/itcp_policy.h.
struct ItcpSettings {
  double retraction = 0.55;  ///< paper's ALPHA: rate after an event / rate before it
  /// Events within this many round trips of a retraction belong to it ("lazy").
  double guard_rtts = 1;
  /// Quiet time before the first restoring step; doubles with each repeated event ("binary").
  base::Duration hold = std::chrono::seconds{1};
  base::Duration hold_max = std::chrono::seconds{16};
  /// More than this waiting unsent is not quiet: no step up.
  base::Duration quiet_backlog = std::chrono::milliseconds{100};
  double restore_step = 0.10;  ///< share of the ceiling added by each step
  base::Duration restore_interval = std::chrono::seconds{1};  ///< between steps
};

struct GroupSettings {
  int max = 0;                                      ///< encoders per stream; 0: one per CPU
  base::Duration linger = std::chrono::seconds{5};  ///< an empty group is kept so long
  /// Share of the CPUs that all streams' encoders may take: the source, the event loops and what
  /// varies from second to second need some. bench/encoder: a frame's cost varies by a fifth.
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
