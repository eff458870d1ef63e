#pragma once

#include "base/units.h"

namespace abr {

/// Finds token buckets (RFC 2697, tc-tbf, operators' policers and shapers with a burst): a frame
/// passes at the link's own speed while there are tokens, so that its train shows a capacity that
/// lasts for a moment only. They betray themselves by repetition: each time the rate follows the
/// trains, soon the same lower rate is all that gets through, and also what has passed in between:
/// what a bucket lets through in its bursts it has been filled with. Then that is the rate for a
/// while; after the while the trains are believed again, and it doubles when that proves wrong.
/// Pure.
class Policer {
 public:
  /// At each observation. `waiting`: the path is busy with what waits; `promised`: the rate
  /// that frames have shown lately; `delivered`: of the connection.
  void update(bool waiting, base::BitRate promised, base::ByteCount delivered, base::Time now);
  /// What waits is not of our making.
  void interrupt() { congested_ = false; }
  /// What passes for long; zero: as much as the trains show.
  base::BitRate rate(base::Time now) const { return now < until_ ? rate_ : base::BitRate{}; }

 private:
  void end_congestion();
  bool like_last(base::BitRate rate) const;
  bool spent_all() const;

  bool congested_ = false;
  base::BitRate promised_;  ///< before the congestion
  base::Time begin_{};
  base::Time end_{};
  base::ByteCount delivered_at_begin_;
  base::ByteCount delivered_at_end_;
  base::BitRate rate_;     ///< of the last congestion
  base::Time last_end_{};  ///< of the last congestion, or of the hold
  base::ByteCount delivered_at_last_end_;
  int alike_ = 0;  ///< congestions in a row that the last one was like
  base::Duration hold_{};
  base::Time until_{};
};

}  // namespace abr
