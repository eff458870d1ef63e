#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/result.h"
#include "base/unique_fd.h"
#include "media/frame.h"
#include "transcoder/settings.h"
#include "transcoder/wire/ring_layout.h"

namespace transcoder::wire {

// The pictures of one child, in memory that it shares with the daemon:
//
//   child: copy() into a free slot -> send a Picture message -> announced()
//   daemon: receive it -> take() -> the last owner of the frame stores the slot's generation
//   child: sees that generation in the shared page, and the slot is free again
//
// A slot's generation is the number of times it was announced. Both sides count for themselves: the
// daemon reads nothing from shared memory but pixels.

/// The daemon's side: makes the memory, and frames of its slots. Frames may outlive it and the
/// child. take() is for one thread; frames are released on any, without a system call.
class RingReader {
 public:
  /// Throws base::SystemError.
  explicit RingReader(const VideoSettings& limits);

  /// The memory, for the child. Nobody can change its size.
  int fd() const { return fd_.get(); }
  const RingLayout& layout() const;

  /// A frame of the announced slot, held until its last owner is gone. `number`, `pts`, `captured`
  /// and `rate` are not set. An error means that the child lies: there is no such slot, it is held,
  /// or the size is beyond the limits.
  base::Result<media::Frame> take(std::size_t slot, const media::PictureFormat& format);

 private:
  struct Memory;
  base::UniqueFd fd_;
  std::shared_ptr<Memory> memory_;  // shared with the frames
  std::array<std::uint32_t, RingLayout::kMaxSlots> generations_{};
};

/// The child's side: copies pictures into slots. Uses the slot that was freed last, so that a calm
/// stream touches few of them. Used with its frames on one thread. Frames may outlive it.
class RingWriter {
 public:
  /// Throws std::runtime_error if `fd` is not a RingReader's memory for the same limits.
  RingWriter(base::UniqueFd fd, const VideoSettings& limits);

  /// The same frame in a slot; nullopt if no slot is free. Without announced(), the slot is free
  /// again when the frame is gone. Throws std::length_error if the size is beyond the limits.
  std::optional<media::Frame> copy(const media::Frame& frame);

  /// The slot of a frame that copy() returned, for the message that announces it.
  std::size_t slot(const media::Frame& frame) const;
  /// The daemon has been sent this frame's slot, and releases it. REQUIRES: once for a frame
  void announced(const media::Frame& frame);

 private:
  struct Memory;
  std::shared_ptr<Memory> memory_;  // shared with the frames
};

}  // namespace transcoder::wire
