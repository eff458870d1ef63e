#pragma once

#include "base/units.h"
#include "media/frame.h"
#include "transcoder/time/frame_interval.h"

namespace transcoder {

/// How many bits the next picture may take, so that a link of the target rate never has to hold
/// more than `vbv` of pictures (a leaky bucket, as H.264's buffering verifier):
///
///   waiting = max(0, waiting - rate * time since the last picture)   what the link still holds
///   share   = rate * interval                      what the rate allows one picture
///   bound   = max(rate * vbv, 1.25 * share)
///   waiting = bound - share                        for 2 pictures after a cut ("snap")
///   room    = bound - waiting                      what the next picture may take
///   waiting = waiting + its bits                   after it
///
/// A picture that comes sooner than `interval` has its share of the time that has passed. One after
/// skipped pictures has no larger share for that: what the link had time to drain is gone from
/// `waiting`, but a picture of their bits would be late by their time.
class FrameBudget {
 public:
  /// `frame_rate`: a guess until pictures have come.
  FrameBudget(base::BitRate rate, base::Duration vbv, double frame_rate);

  void retarget(base::BitRate rate) { rate_ = rate; }

  /// The most that the picture at `pts` may take; call once per picture.
  base::ByteCount next(media::Pts pts);

  /// The picture at `pts` is not encoded; call in place of next().
  void skip(media::Pts pts) { interval_.update(pts); }

  /// What that picture took.
  void spend(base::ByteCount amount) { waiting_ += amount; }

  /// What the rate allowed it.
  base::ByteCount picture() const { return picture_; }

 private:
  const base::Duration vbv_;
  FrameInterval interval_;
  base::BitRate rate_;
  base::BitRate previous_;  ///< in force at the last picture
  int snap_ = 0;            ///< pictures that the snap still lasts
  media::Pts pts_{};        ///< of the last picture
  base::ByteCount picture_;
  base::ByteCount waiting_;
};

}  // namespace transcoder
