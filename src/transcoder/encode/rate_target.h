#pragma once

#include <atomic>

#include "base/units.h"

namespace transcoder {

/// A one-slot mailbox for a group's rate: the controller writes it, the encode thread reads it
/// before every frame. The latest value wins. Thread-safe, lock-free.
class RateTarget {
 public:
  explicit RateTarget(base::BitRate initial) : bps_{initial.bps()} {}
  void set(base::BitRate rate) { bps_.store(rate.bps(), std::memory_order_release); }
  base::BitRate get() const { return base::BitRate{bps_.load(std::memory_order_acquire)}; }

 private:
  std::atomic<std::int64_t> bps_;
};

}  // namespace transcoder
