#pragma once

#include <atomic>

namespace transcoder {

/// One-slot mailbox for how many of the next pictures are not to be encoded: the controller writes,
/// the encode thread takes one per picture; the latest wins. Thread-safe, lock-free.
class FrameSkip {
 public:
  void set(unsigned pictures) { left_.store(pictures, std::memory_order_release); }

  /// True when the picture at hand is one of them.
  bool take() {
    unsigned left = left_.load(std::memory_order_acquire);
    while (left > 0 && !left_.compare_exchange_weak(left, left - 1, std::memory_order_acq_rel)) {
    }
    return left > 0;
  }

 private:
  std::atomic<unsigned> left_{0};
};

}  // namespace transcoder
