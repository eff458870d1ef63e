#pragma once

#include <atomic>

namespace transcoder {

/// A one-slot mailbox for the number of frames to skip: the controller writes it, the encode thread
/// takes one per frame. The latest value wins. Thread-safe, lock-free.
class FrameSkip {
 public:
  void set(unsigned frames) { left_.store(frames, std::memory_order_release); }

  /// Whether to skip the current frame; call once per frame.
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
