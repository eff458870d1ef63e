#pragma once

#include "base/units.h"

namespace abr {

/// Detects token buckets (RFC 2697, tc-tbf; operators' policers and shapers with a burst). While
/// there are tokens, frames pass at the link's own speed, so that trains show a capacity that lasts
/// for a moment only. A bucket shows by repetition: whenever the rate follows the trains, the path
/// is soon congested and passes the same lower rate. That rate also passed between two congestions,
/// because a burst spends what filled the bucket. The rate then holds for a while, after which the
/// trains are believed again. Each time that this proves wrong, the hold doubles. No I/O, no clock.
class Policer {
 public:
  /// For each observation. `congested`: data waits in the path. `promised`: the rate that frames
  /// have shown lately. `delivered`: since the connection began.
  void update(bool congested, base::BitRate promised, base::ByteCount delivered, base::Time now);
  /// Cross traffic causes the congestion: it says nothing about a bucket.
  void interrupt() { congested_ = false; }
  /// The sustained rate of the bucket; zero while none is assumed.
  base::BitRate rate(base::Time now) const { return now < until_ ? rate_ : base::BitRate{}; }

 private:
  void end_congestion();
  bool like_last(base::BitRate rate) const;
  bool spent_all() const;

  bool congested_ = false;
  base::BitRate promised_;  ///< when the congestion began
  base::Time begin_{};
  base::Time end_{};
  base::ByteCount delivered_at_begin_;
  base::ByteCount delivered_at_end_;
  base::BitRate rate_;     ///< delivered during the last congestion
  base::Time last_end_{};  ///< of the last congestion, or of the hold
  base::ByteCount delivered_at_last_end_;
  int repeats_ = 0;        ///< congestions in a row with the same rate as the one before
  base::Duration hold_{};  ///< how long the rate holds, 0 if no bucket was found
  base::Time until_{};     ///< end of the hold
};

}  // namespace abr
