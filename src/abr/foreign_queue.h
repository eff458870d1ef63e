#pragma once

#include <optional>

#include "base/units.h"

namespace abr {

/// Whether others keep the bottleneck's queue filled. Then our delay is not of our making and does
/// not go away when we send less; what is ours of the link is what TCP's window wins. Pure.
///
/// Others are there when a picture's head has waited kForeign longer than pictures of our own can
/// explain, for kSurely; they are gone when nothing waits, or when what waits is surely ours.
class ForeignQueue {
 public:
  /// What a picture's head waited, seconds.
  struct Waiting {
    base::Time acked{};
    double all = 0;
    double own = 0;         ///< behind pictures of ours, by the capacity
    double surely_own = 0;  ///< likewise, by the highest capacity seen: others draw trains out
  };

  void add(const Waiting& waiting);
  bool shared() const { return shared_; }

 private:
  void add_own(base::Time at);
  void add_foreign(const Waiting& waiting, double foreign);

  bool shared_ = false;
  base::Time newest_{};
  std::optional<base::Time> foreign_since_;
  std::optional<base::Time> own_since_;
  double queue_ = 0;         ///< seconds, when it was found shared
  base::Time not_before_{};  ///< it proved to be ours
};

}  // namespace abr
