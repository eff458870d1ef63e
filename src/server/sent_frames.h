#pragma once

#include <cstddef>
#include <deque>
#include <optional>

#include "base/units.h"
#include "media/packet.h"

namespace server {

/// A picture whose last byte the kernel has taken.
struct SentFrame {
  std::uint64_t number = 0;
  media::Pts pts{};
  bool keyframe = false;
  base::Time captured{};
  base::Time departed{};  ///< when the kernel took its last byte
  std::uint64_t end_offset =
      0;                 ///< of its last byte + 1, counted from the connection's first byte sent
  base::ByteCount size;  ///< as sent, container included
  base::ByteCount target;
  std::optional<media::Psnr> psnr;
};

/// Pictures in the kernel or on the way, oldest first; at most kBound, then the oldest is forgotten
/// and counted. Owned by a viewer, used on its loop thread.
class SentFrames {
 public:
  static constexpr std::size_t kBound = 512;

  void push(SentFrame frame) {
    if (frames_.size() >= kBound) {
      frames_.pop_front();
      ++forgotten_;
    }
    frames_.push_back(frame);
  }

  /// Calls `fn` for each picture that lies wholly below `offset`, and forgets it.
  template <typename Fn>
  void take_acked(std::uint64_t offset, Fn fn) {
    while (!frames_.empty() && frames_.front().end_offset <= offset) {
      fn(frames_.front());
      frames_.pop_front();
    }
  }

  /// The same for all that are left.
  template <typename Fn>
  void take_all(Fn fn) {
    for (const auto& frame : frames_) fn(frame);
    frames_.clear();
  }

  std::size_t size() const { return frames_.size(); }
  std::uint64_t forgotten() const { return forgotten_; }

 private:
  std::deque<SentFrame> frames_;
  std::uint64_t forgotten_ = 0;
};

}  // namespace server
