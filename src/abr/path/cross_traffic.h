#pragma once

#include <optional>

#include "abr/path/arrival_spacing.h"
#include "base/units.h"

namespace abr {

/// Detects flows of others that keep the bottleneck's queue filled. Then the queueing delay is not
/// of our making and does not shrink when we send less; our share of the link is what TCP's
/// congestion window wins. No I/O, no clock.
///
///   appears  frames wait 25 ms longer than our own data explains, for 300 ms; or they wait 25 ms
///            at all for 600 ms, in which the path had the time to drain the queue, and did not; or
///            for 150 ms they arrive as from a queue that others fill (ArrivalSpacing)
///   ends     our own data explains the wait for 300 ms, or frames arrive as from a queue of ours
///            for 400 ms; or our data explains the wait, or nothing waits, for 700 ms, because BBR
///            empties the queue for a while every ten seconds (PROBE_RTT)
///   refuted  the queue grows by 150 ms after cross traffic was found, and more of our viewers are
///            at the same address: the queue is ours. For 3 s none is assumed again
class CrossTraffic {
 public:
  /// The wait of one frame's head, in seconds.
  struct Wait {
    base::Time acked{};
    double total = 0;
    double own = 0;  ///< part that our own data explains, at the measured capacity
    /// Part that our own data explains at the highest capacity seen; 0 when our frames do not fill
    /// the path. Cross traffic makes the measured capacity too low.
    double self_induced = 0;
    /// Time since the previous frame in which the path, at its capacity, was not busy with our
    /// data. nullopt when the path may be slower than that.
    std::optional<double> spare;
    bool neighbours = false;  ///< more of our viewers may share the path
    /// The owner of the queue, by when the newest frames arrived.
    ArrivalSpacing::Queue arrivals = ArrivalSpacing::Queue::kUnknown;
  };

  void add(const Wait& wait);
  bool present() const { return present_; }

 private:
  /// Consecutive frames of which one statement is true.
  struct Streak {
    void add(base::Time at);
    bool lasts(base::Duration time) const;
    base::Time first{};
    base::Time last{};
    int frames = 0;
  };

  void add_arrivals(const Wait& wait);
  bool outlasts_own_data(const Wait& wait);
  void add_own(base::Time at, bool queued);
  void add_cross_traffic(const Wait& wait, bool outlasts);

  bool present_ = false;
  base::Time newest_{};
  Streak unexplained_;             ///< our own data does not explain the wait
  Streak queued_;                  ///< there is a queue, of any traffic
  double longest_queue_ = 0;       ///< seconds; the longest wait of queued_
  double spare_ = 0;               ///< seconds of queued_ in which the path could drain the queue
  Streak others_arrivals_;         ///< frames arrive as from others' queue
  Streak own_arrivals_;            ///< frames arrive as from a queue of ours
  Streak own_;                     ///< our own data surely explains the wait
  Streak own_or_empty_;            ///< our own data surely explains the wait, or nothing waits
  double wait_when_found_ = 0;     ///< seconds; the wait when cross traffic was found
  base::Time not_found_before_{};  ///< the queue proved to be ours
};

}  // namespace abr
