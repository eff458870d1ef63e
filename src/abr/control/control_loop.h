#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "abr/control/congestion_choice.h"
#include "abr/control/sample_interval.h"
#include "abr/observation.h"
#include "abr/path/path_model.h"
#include "abr/rate_policy.h"
#include "base/units.h"

namespace abr {

/// The state of the viewer's stream that TCP does not know.
struct StreamView {
  bool private_group = false;   ///< the viewer's encode group serves nobody else
  bool frames_missing = false;  ///< frames were dropped, and no recovery frame has been sent since
};

/// The actions for the owner of a ControlLoop. Pausing, discarding and recovery are carried out in
/// this order.
struct Actions {
  Decision decision;
  bool rate_changed = false;  ///< decision.rate is new, decision.reason says why
  bool report = false;        ///< tell the ladder decision.rate and decision.sustains
  /// Time from now in which no frame is to be encoded; in a shared group the viewer's are not sent.
  /// 0 ends a pause. nullopt: as before.
  std::optional<base::Duration> pause{};
  bool discard = false;      ///< drop the frames of which nothing has been sent
  bool recover = false;      ///< ask the encoder for a recovery frame
  base::ByteCount padding;   ///< lengthens the next frame's write
  std::uint32_t window = 0;  ///< segments: the congestion window to set; 0 leaves it
  base::BitRate pacing;      ///< TCP's pacing limit; 0 means no limit
  std::optional<CongestionControl> congestion_control{};  ///< to change to
  /// The kernel is to tell if the smoothed RTT becomes longer (EventKind::kRtt). 0 leaves it.
  base::Duration rtt_limit{};
  bool calm =
      false;  ///< frames may wait for the next ones (SampleInterval); not in a private group
};

/// The control loop of one viewer: observations in, actions out. The server's viewers and the
/// simulated ones of tests/sim drive this class and only carry its actions out, so that the
/// simulated links test what runs in the server. No I/O, no clock; one thread; `now` never goes
/// back.
///
///   Observation → PathModel → PathState → RatePolicy → Decision → gates and timers → Actions
class ControlLoop {
 public:
  /// Samples are taken this long before a frame is captured: the event loop wakes up late by up to
  /// 2 ms on a busy machine, and the encoder reads its new rate when the frame arrives. Earlier, a
  /// sample sees less of the last frame; later, the rate is too late for the next one. Not measured
  /// against other values.
  static constexpr base::Duration kSampleLead = std::chrono::milliseconds{3};

  /// `chooses`: the connection has BBR or CUBIC, and may be changed to the other one and back.
  explicit ControlLoop(std::unique_ptr<RatePolicy> policy, bool chooses = false)
      : policy_{std::move(policy)} {
    if (chooses) choice_.emplace();
  }

  /// The rate to begin with. Call once, before the first observation.
  Decision start(base::Time now);
  /// Other limits hold from the next observation on.
  void set_limits(const RateLimits& limits) { policy_->set_limits(limits); }

  /// A frame of the viewer's group has been encoded.
  void on_frame() { may_pause_ = true; }

  Actions on_observation(const Observation& observation, const StreamView& stream, base::Time now);

  /// When the connection should be sampled once more before the next frame is captured. nullopt
  /// when that cannot change the frame: the group is shared, or nothing is in flight. `captured`:
  /// when the newest frame was captured, not after `now`.
  static std::optional<base::Time> next_sample_time(base::Time captured, base::Duration interval,
                                                    bool private_group, bool in_flight,
                                                    base::Time now);

  /// When the connection needs its next sample, and the next frame a mark: not before, unless an
  /// event comes or a whole frame waits for the kernel to take it. At once in a private group.
  base::Time next_sample() const { return samples_.next(); }

  const PathState& path() const { return path_.state(); }

 private:
  std::optional<base::Duration> pause(const Decision& decision, base::Time now);
  bool recover(const Observation& observation, const StreamView& stream, const Actions& actions,
               base::Time now);

  PathModel path_;
  const std::unique_ptr<RatePolicy> policy_;
  std::optional<CongestionChoice> choice_;  ///< nullopt: the congestion control stays
  SampleInterval samples_;
  bool may_pause_ = true;  ///< a frame has been encoded since the last pause began
  base::Time paused_until_{};
  base::Time next_recovery_{};  ///< no recovery frame is requested before
  base::BitRate rate_;          ///< the last Decision::rate
  base::BitRate reported_;      ///< the last Decision::sustains that was reported
};

}  // namespace abr
