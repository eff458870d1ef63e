#include "abr/control/control_loop.h"

#include <chrono>
#include <utility>

#include "abr/tuning.h"

namespace abr {

namespace {

// Time between two requests for a recovery frame. The encoder answers with its next frame, or with
// a keyframe within a second (encoder.forced_keyframe_interval). Shorter repeats requests that are
// under way; longer leaves the viewer without video when a recovery frame is dropped too. Not
// measured against other values.
constexpr base::Duration kRecoveryInterval = std::chrono::milliseconds{500};

// Frames of a viewer who has been calm for this long may wait for the next ones. With a shorter
// time, viewers whose trouble comes and goes have to wait as well; a longer one costs more writes.
// Not measured against other values.
constexpr base::Duration kCalmAfter = std::chrono::milliseconds{500};

/// Each report takes the ladder's lock, and a smaller change would move no group's rate.
bool worth_reporting(base::BitRate sustains, base::BitRate reported) {
  return sustains < (1 - kRateDeadBand) * reported || sustains > (1 + kRateDeadBand) * reported;
}

}  // namespace

Decision ControlLoop::start(base::Time now) {
  const auto decision = policy_->decide({}, path_.state(), now);
  rate_ = decision.rate;
  return decision;
}

Actions ControlLoop::on_observation(const Observation& observation, const StreamView& stream,
                                    base::Time now) {
  path_.update(observation, now);
  Actions actions;
  actions.decision = policy_->decide(observation, path_.state(), now);
  const auto& decision = actions.decision;
  const bool other_limits = decision.reason == Reason::kHold && decision.rate != rate_;
  if (other_limits) actions.decision.reason = Reason::kLimits;
  rate_ = decision.rate;
  actions.rate_changed = decision.reason != Reason::kHold;
  actions.report = actions.rate_changed || worth_reporting(decision.sustains, reported_);
  if (actions.report) reported_ = decision.sustains;
  actions.padding = decision.padding;
  actions.window = decision.window;
  actions.pacing = decision.pacing;
  actions.pause = pause(decision, now);
  actions.discard = decision.discard && observation.discardable;
  actions.recover = recover(observation, stream, actions, now);
  const auto sustained = decision.sustains.bps() > 0 ? decision.sustains : decision.rate;
  const bool steered = stream.private_group || stream.frames_missing || actions.pause;
  samples_.update(observation, path_.state(), sustained, steered, now);
  actions.calm = samples_.calm_for(now) >= kCalmAfter;
  if (choice_) actions.congestion_control = choice_->update(observation, path_.state(), now);
  if (actions.calm) actions.rtt_limit = samples_.rtt_limit();
  // The path carries twice the stream and has lost nothing lately, so pacing would only cost
  // timers.
  if (samples_.calm_for(now) >= kLossMemory) actions.pacing = {};
  return actions;
}

/// A pause begins once for each frame that is encoded: each ACK causes a decision, and all
/// decisions see the same backlog until frames have been left out. A later decision may end it
/// sooner.
std::optional<base::Duration> ControlLoop::pause(const Decision& decision, base::Time now) {
  const auto until = now + decision.pause;
  const bool begins = decision.pause.count() > 0 && may_pause_;
  if (begins) may_pause_ = false;
  if (!begins && until >= paused_until_) return {};
  paused_until_ = until;
  return decision.pause;
}

/// A private encoder makes the recovery frame at once. In a shared group it costs the other viewers
/// some bits, so that it waits until it can be sent without delay.
bool ControlLoop::recover(const Observation& observation, const StreamView& stream,
                          const Actions& actions, base::Time now) {
  if (actions.discard) next_recovery_ = now;
  const bool missing = stream.frames_missing || actions.discard;
  if (!missing || now < next_recovery_) return false;
  const bool sent_at_once =
      actions.decision.pause.count() == 0 && observation.backlog <= observation.frame_interval;
  if (!sent_at_once && !stream.private_group) return false;
  next_recovery_ = now + kRecoveryInterval;
  return true;
}

std::optional<base::Time> ControlLoop::next_sample_time(base::Time captured,
                                                        base::Duration interval, bool private_group,
                                                        bool in_flight, base::Time now) {
  if (!private_group || !in_flight) return {};
  const auto since = now + kSampleLead - captured;
  return now + interval - since % interval;
}

}  // namespace abr
