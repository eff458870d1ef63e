#include "transcoder/encode/audio_track.h"

#include <memory>
#include <utility>

namespace transcoder {

AudioTrack::AudioTrack(AudioSettings settings, Publish publish)
    : encoder_{settings.rate}, publish_{std::move(publish)} {}

void AudioTrack::push(const media::Samples& samples) {
  std::lock_guard lock{mutex_};
  encode(aligner_.push(samples));
}

void AudioTrack::advance(media::Pts video) {
  std::lock_guard lock{mutex_};
  encode(aligner_.advance(video));
}

AudioTrack::State AudioTrack::state() const {
  std::lock_guard lock{mutex_};
  return {.silence_inserted_samples = aligner_.counts().silence_samples,
          .overlap_dropped_samples = aligner_.counts().dropped_samples,
          .failures = encoder_.failures()};
}

/// Publishes under the mutex, which keeps the frames of two threads in order.
void AudioTrack::encode(const std::vector<AudioBlock>& blocks) {
  for (const auto& block : blocks) {
    auto frame = encoder_.encode(block);
    if (!frame) continue;
    frame->number = frames_++;
    frame->encoded = base::Clock::now();
    publish_(std::make_shared<const media::AudioFrame>(std::move(*frame)));
  }
}

}  // namespace transcoder
