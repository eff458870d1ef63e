#pragma once

#include "base/units.h"
#include "media/frame.h"
#include "transcoder/time/frame_interval_estimator.h"

namespace transcoder {

/// Limits the size of each frame, so that a link of the target rate never queues more than `vbv` of
/// video (a leaky bucket, like H.264's hypothetical reference decoder):
///
///   waiting = max(0, waiting - rate * time since the last frame)   queued at the link
///   share   = rate * interval                      size that the rate allows one frame
///   bound   = max(rate * vbv, 1.25 * share)
///   waiting = bound - share                        for 2 frames after a cut of the rate ("snap")
///   room    = bound - waiting                      limit for the next frame
///   waiting = waiting + size of the frame          after the frame
///
/// For a frame that arrives sooner than `interval`, the elapsed time replaces `interval`. A frame
/// after skipped ones has no larger share: the link has drained `waiting` meanwhile, but a frame
/// with their bits would be late by their time. No I/O, no clock.
class FrameBudget {
 public:
  /// `frame_rate` is a guess, used until two frames have been seen.
  FrameBudget(base::BitRate rate, base::Duration vbv, double frame_rate);

  void retarget(base::BitRate rate) { rate_ = rate; }

  /// The maximum size of the frame at `pts`; call once per encoded frame.
  base::ByteCount next(media::Pts pts);

  /// Call instead of next() for a frame that is not encoded.
  void skip(media::Pts pts) { interval_.update(pts); }

  /// Reports the size of the frame of the last next().
  void spend(base::ByteCount amount) { waiting_ += amount; }

  /// rate * interval at the last next(), EncodedFrame::target.
  base::ByteCount target() const { return target_; }

 private:
  const base::Duration vbv_;
  FrameIntervalEstimator interval_;
  base::BitRate rate_;
  base::BitRate previous_;  ///< rate at the last frame
  int snap_ = 0;            ///< remaining frames of the snap
  media::Pts pts_{};        ///< of the last frame
  base::ByteCount target_;
  base::ByteCount waiting_;
};

}  // namespace transcoder
