#pragma once

#include <optional>

#include "base/units.h"

namespace abr {

/// Whether others keep the bottleneck's queue filled. Then our delay is not of our making and does
/// not go away when we send less; what is ours of the link is what TCP's window wins. Pure.
///
/// Others are there when a frame's head has waited kForeign longer than frames of our own can
/// explain, for kSurely; or when it waits kForeign at all, for kStands, and the path has had the
/// time to pass what there was. They are gone when what waits is surely ours for kSurely, or when
/// that, or nothing, waits for kPause: BBR empties the queue for a while every ten seconds
/// (PROBE_RTT). A queue that grows by kOurs after it was found shared is ours: nobody is looked for
/// in kOursFor.
class CrossTraffic {
 public:
  /// What a frame's head waited, seconds.
  struct Waiting {
    base::Time acked{};
    double all = 0;
    double own = 0;           ///< behind frames of ours, by the capacity
    double self_induced = 0;  ///< likewise, by the highest capacity seen: others draw trains out
    /// Since the one before, by the capacity, beside what has arrived. Empty: the path may be
    /// slower than that.
    std::optional<double> spare;
  };

  void add(const Waiting& waiting);
  bool present() const { return present_; }

 private:
  /// Frames in a row of which the same is true.
  struct Stretch {
    void add(base::Time at);
    bool lasts(base::Duration time) const;
    base::Time since{};
    base::Time until{};
    int frames = 0;
  };

  void add_own(base::Time at, bool waits);
  bool outlasts(const Waiting& waiting);
  void add_foreign(const Waiting& waiting, bool stays);

  bool present_ = false;
  base::Time newest_{};
  Stretch foreign_;
  Stretch standing_;         ///< there is a queue, whosever it is
  double longest_ = 0;       ///< seconds, the most of it
  double spare_ = 0;         ///< seconds that the path had to pass it
  Stretch own_;              ///< what waits is surely ours
  Stretch calm_;             ///< that, or nothing waits
  double queue_ = 0;         ///< seconds, when it was found shared
  base::Time not_before_{};  ///< it proved to be ours
};

}  // namespace abr
