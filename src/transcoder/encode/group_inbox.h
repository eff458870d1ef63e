#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <variant>

#include "media/audio_frame.h"
#include "media/frame.h"

namespace transcoder {

/// The input queue of an encode group's thread: at most 2 pictures and 12 s of audio. When it is
/// full the oldest is dropped and counted. Audio is taken first, because it is small and must not
/// be late. Thread-safe.
class GroupInbox {
 public:
  using Item = std::variant<media::FramePtr, media::AudioFramePtr>;

  void push(media::FramePtr frame);
  void push(media::AudioFramePtr frame);

  /// Waits for an item; nullopt once closed.
  std::optional<Item> pop();
  void close();

  std::uint64_t frames_dropped() const;
  std::uint64_t audio_dropped() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable available_;
  std::deque<media::FramePtr> frames_;      // GUARDED_BY(mutex_)
  std::deque<media::AudioFramePtr> audio_;  // GUARDED_BY(mutex_)
  std::uint64_t frames_dropped_ = 0;        // GUARDED_BY(mutex_)
  std::uint64_t audio_dropped_ = 0;         // GUARDED_BY(mutex_)
  bool closed_ = false;                     // GUARDED_BY(mutex_)
};

}  // namespace transcoder
