#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace transcoder {

/// Tracks the reference frames that the encoder, and so every decoder, holds: the last `size` since
/// the newest keyframe (H.264's sliding window, 8.2.5.3), and which of them are still usable. No
/// I/O, no clock.
class ReferenceWindow {
 public:
  explicit ReferenceWindow(std::size_t size) : size_{size} {}

  void add(std::uint64_t number, bool keyframe) {
    if (keyframe) frames_.clear();
    frames_.push_back({number, true});
    if (frames_.size() > size_) frames_.pop_front();
  }

  /// Makes the frames from `number` on unusable, and returns the newest one that is still usable.
  /// Returns nullopt and changes nothing if none would be left.
  std::optional<std::uint64_t> forget(std::uint64_t number) {
    const auto is_left = [=](const Frame& f) { return f.usable && f.number < number; };
    const auto newest = std::find_if(frames_.rbegin(), frames_.rend(), is_left);
    if (newest == frames_.rend()) return {};
    for (auto& frame : frames_) frame.usable = is_left(frame);
    return newest->number;
  }

 private:
  struct Frame {
    std::uint64_t number;
    bool usable;
  };

  const std::size_t size_;
  std::deque<Frame> frames_;  ///< oldest first
};

}  // namespace transcoder
