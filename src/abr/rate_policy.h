#pragma once

#include <memory>

#include "abr/reason.h"
#include "abr/settings.h"
#include "base/units.h"

namespace abr {

/// What is known of one viewer's connection before one frame.
struct Observation {
  unsigned rexmt = 0;        ///< REXMT events since the last observation
  unsigned dupack = 0;       ///< DUPACK events since then
  base::Duration srtt{};     ///< zero: not measured yet
  base::Duration backlog{};  ///< what waits unsent, as time at the served rate
  base::BitRate served;      ///< target rate of the group that serves the viewer
};

/// What the viewer can take, and why.
struct Decision {
  base::BitRate rate;
  Reason reason = Reason::kHold;  ///< kHold: as before
};

/// The rule for one viewer's rate. Pure: `now` and observations in, decision out; one instance per
/// viewer, used on one thread. The settings' limits always hold.
class RatePolicy {
 public:
  virtual ~RatePolicy() = default;
  virtual Decision decide(const Observation& observation, base::Time now) = 0;
};

/// The policy named by `settings`; its first decision is {rate.start, kStart}.
std::unique_ptr<RatePolicy> make_policy(const Settings& settings);

}  // namespace abr
