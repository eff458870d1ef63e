#include "transcoder/encode/group_inbox.h"

#include <utility>

#include "transcoder/encode/audio_aligner.h"

namespace transcoder {

namespace {

/// With two, a picture that takes long to encode does not cost the next one. More would only make
/// all of them late.
constexpr std::size_t kMaxWaitingPictures = 2;

/// All the silence that AudioAligner fills in at once, and 2 s of AAC frames. Fewer would lose
/// audio after a pause, or while a picture takes long to encode; more would only be late.
constexpr std::size_t kMaxWaitingAudioFrames = kMaxFillBlocks + 94;

/// Returns whether the oldest item had to be dropped.
template <typename T>
bool push_bounded(std::deque<T>& queue, std::size_t bound, T item) {
  const bool full = queue.size() >= bound;
  if (full) queue.pop_front();
  queue.push_back(std::move(item));
  return full;
}

template <typename T>
T take_front(std::deque<T>& queue) {
  T item = std::move(queue.front());
  queue.pop_front();
  return item;
}

}  // namespace

void GroupInbox::push(media::FramePtr frame) {
  {
    std::lock_guard lock{mutex_};
    frames_dropped_ += push_bounded(frames_, kMaxWaitingPictures, std::move(frame));
  }
  available_.notify_one();
}

void GroupInbox::push(media::AudioFramePtr frame) {
  {
    std::lock_guard lock{mutex_};
    audio_dropped_ += push_bounded(audio_, kMaxWaitingAudioFrames, std::move(frame));
  }
  available_.notify_one();
}

std::optional<GroupInbox::Item> GroupInbox::pop() {
  std::unique_lock lock{mutex_};
  available_.wait(lock, [this] { return closed_ || !frames_.empty() || !audio_.empty(); });
  if (closed_) return std::nullopt;
  if (!audio_.empty()) return take_front(audio_);
  return take_front(frames_);
}

void GroupInbox::close() {
  {
    std::lock_guard lock{mutex_};
    closed_ = true;
  }
  available_.notify_all();
}

std::uint64_t GroupInbox::frames_dropped() const {
  std::lock_guard lock{mutex_};
  return frames_dropped_;
}

std::uint64_t GroupInbox::audio_dropped() const {
  std::lock_guard lock{mutex_};
  return audio_dropped_;
}

}  // namespace transcoder
