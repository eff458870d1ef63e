#pragma once

#include <atomic>

#include "base/units.h"

namespace transcoder {

/// A one-slot mailbox for the time until which no frame is to be encoded: the controller writes it,
/// the encode thread reads it for each frame. The latest value wins. Thread-safe, lock-free.
class EncodePause {
 public:
  void set(base::Time until) { until_.store(until, std::memory_order_release); }
  bool holds(base::Time now) const { return now < until_.load(std::memory_order_acquire); }

 private:
  std::atomic<base::Time> until_{base::Time{}};
};

}  // namespace transcoder
