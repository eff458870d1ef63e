#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace transcoder {

/// Which pictures the encoder, and so every decoder, still holds: the last `size` since the newest
/// keyframe (H.264's sliding window, 8.2.5.3), and which of them may be referred to. Pure.
class ReferenceWindow {
 public:
  explicit ReferenceWindow(std::size_t size) : size_{size} {}

  void add(std::uint64_t number, bool keyframe) {
    if (keyframe) pictures_.clear();
    pictures_.push_back({number, true});
    if (pictures_.size() > size_) pictures_.pop_front();
  }

  /// The pictures from `number` on may be referred to no more. Returns the newest one that still
  /// may. Empty, and nothing is done, when none would be left.
  std::optional<std::uint64_t> forget(std::uint64_t number) {
    const auto is_left = [=](const Picture& p) { return p.usable && p.number < number; };
    const auto newest = std::find_if(pictures_.rbegin(), pictures_.rend(), is_left);
    if (newest == pictures_.rend()) return {};
    for (auto& picture : pictures_) picture.usable = is_left(picture);
    return newest->number;
  }

 private:
  struct Picture {
    std::uint64_t number;
    bool usable;
  };

  const std::size_t size_;
  std::deque<Picture> pictures_;  ///< oldest first
};

}  // namespace transcoder
