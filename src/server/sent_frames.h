#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/units.h"
#include "media/packet.h"

namespace server {

/// A frame whose last byte the kernel has taken.
struct SentFrame {
  std::uint64_t number = 0;
  media::Pts pts{};
  bool keyframe = false;
  base::Time captured{};
  base::Time departed{};  ///< when the kernel took its last byte
  /// Of its write's first byte, counted from the connection's first byte sent; so are the next
  /// three. Audio frames that went before in writes of their own are not in it.
  std::uint64_t begin = 0;
  std::uint64_t end_offset = 0;  ///< of its last byte + 1
  std::uint64_t marked_end = 0;  ///< of its marked write, HTTP and padding later; 0: not marked
  /// Of the marked head before it, which the kernel took right before the rest; 0: none.
  std::uint64_t head_end = 0;
  base::ByteCount size;     ///< as sent, container included
  base::ByteCount padding;  ///< behind it, in the same write
  base::ByteCount target;
  std::optional<media::Psnr> psnr;

  /// When that is acknowledged the frame is delivered, and its mark reported.
  std::uint64_t last_offset() const { return std::max(end_offset, marked_end); }
};

/// Frames in the kernel or on the way, oldest first; at most kBound, then the oldest is forgotten
/// and counted. Allocates no more once it has grown. Owned by a viewer, used on its loop thread.
class SentFrames {
 public:
  /// 8 s of 60 frames per second.
  static constexpr std::size_t kBound = 512;

  void push(const SentFrame& frame) {
    if (size() >= kBound) {
      ++first_;
      ++forgotten_;
    }
    if (first_ >= size()) compact();
    frames_.push_back(frame);
  }

  /// Calls `fn` for each frame, oldest first, and forgets it, while `condition` holds for it.
  template <typename Condition, typename Fn>
  void take_while(Condition condition, Fn fn) {
    while (size() > 0 && condition(frames_[first_])) fn(frames_[first_++]);
  }

  /// The same for all that lie wholly below `offset`, with what is marked.
  template <typename Fn>
  void take_acked(std::uint64_t offset, Fn fn) {
    take_while([=](const SentFrame& frame) { return frame.last_offset() <= offset; }, fn);
  }

  /// The same for all that are left.
  template <typename Fn>
  void take_all(Fn fn) {
    take_while([](const SentFrame&) { return true; }, fn);
  }

  /// Null: none.
  const SentFrame* oldest() const { return size() > 0 ? &frames_[first_] : nullptr; }
  std::size_t size() const { return frames_.size() - first_; }
  std::uint64_t forgotten() const { return forgotten_; }

 private:
  /// Moves no more than have been taken.
  void compact() {
    frames_.erase(frames_.begin(), frames_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }

  std::vector<SentFrame> frames_;
  std::size_t first_ = 0;  ///< those before it have been taken
  std::uint64_t forgotten_ = 0;
};

}  // namespace server
