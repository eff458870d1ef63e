#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/prefetch.h"
#include "base/ring.h"
#include "base/units.h"
#include "media/packet.h"

namespace server {

/// A frame whose last byte the kernel has taken. A value, and a small one: a calm viewer has 60 of
/// them, and a viewer who does not read hundreds.
struct SentFrame {
  std::uint64_t number = 0;
  media::Pts pts{};
  base::Time captured{};
  base::Time departed{};  ///< when the kernel took its last byte
  /// Offset at which the frame's write begins. Offsets count the bytes sent on the connection. The
  /// write includes the audio frames before the frame, unless they were sent alone.
  std::uint64_t begin = 0;
  std::uint64_t end_offset = 0;  ///< end of the frame
  /// End of the frame's write, with HTTP framing and padding, if it is marked; otherwise 0.
  std::uint64_t marked_end = 0;
  /// End of the marked head, if the kernel took the rest of the write right after it; otherwise 0.
  std::uint64_t head_end = 0;
  std::uint32_t size = 0;     ///< bytes, in its container
  std::uint32_t padding = 0;  ///< bytes behind the frame, in the same write
  std::uint32_t target = 0;   ///< bytes: Packet::target
  std::optional<media::Psnr> psnr;
  bool keyframe = false;

  /// Once this offset is acknowledged, the frame is delivered and its mark has been reported.
  std::uint64_t last_offset() const { return std::max(end_offset, marked_end); }
};

/// Frames taken by the kernel and not yet seen acknowledged, oldest first. At most kMaxFrames; a
/// further one makes it forget and count the oldest. Owned by a viewer, used on its loop thread.
class SentFrames {
 public:
  /// 8 s at 60 frames per second. A connection further behind loses the delay of its oldest frames.
  static constexpr std::size_t kMaxFrames = 512;

  void push(const SentFrame& frame) {
    if (size() >= kMaxFrames) {
      frames_.pop_front();
      ++forgotten_;
    }
    frames_.push_back(frame);
  }

  /// Removes frames, oldest first, for which `condition` holds, and calls `fn` for each. Stops at
  /// the first for which it does not.
  template <typename Condition, typename Fn>
  void take_while(Condition condition, Fn fn) {
    while (size() > 0 && condition(frames_[0])) fn(frames_.pop_front());
  }

  /// Removes the frames delivered once all bytes below `offset` are acknowledged; calls `fn` for
  /// each.
  template <typename Fn>
  void take_acked(std::uint64_t offset, Fn fn) {
    take_while([=](const SentFrame& frame) { return frame.last_offset() <= offset; }, fn);
  }

  /// Removes all frames; calls `fn` for each.
  template <typename Fn>
  void take_all(Fn fn) {
    take_while([](const SentFrame&) { return true; }, fn);
  }

  /// See ChannelMember::prefetch().
  void prefetch() const { base::prefetch(frames_.next_slot(), sizeof(SentFrame)); }

  /// Null if there is none. Valid until the next call of a non-const function.
  const SentFrame* oldest() const { return size() > 0 ? &frames_[0] : nullptr; }
  std::size_t size() const { return frames_.size(); }
  std::uint64_t forgotten() const { return forgotten_; }

 private:
  base::Ring<SentFrame> frames_;
  std::uint64_t forgotten_ = 0;
};

}  // namespace server
