#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "media/frame.h"
#include "media/packet.h"
#include "transcoder/encode/aac_encoder.h"
#include "transcoder/encode/audio_aligner.h"
#include "transcoder/settings.h"

namespace transcoder {

/// Turns whatever audio arrives into one continuous AAC-LC track: fills gaps with silence, drops
/// overlaps, and gives each frame a pts that is an exact multiple of its duration. Encoded once per
/// stream and shared by all groups. Thread-safe.
///
/// Encodes on the caller's thread: 21 ms of audio cost about 0.5 ms of CPU, less than the delay of
/// handing them to another thread in order.
class AudioTrack {
 public:
  using Publish = std::function<void(media::AudioFramePtr)>;

  struct State {
    std::uint64_t silence_inserted_samples = 0;
    std::uint64_t overlap_dropped_samples = 0;
    std::uint64_t failures = 0;  ///< frames lost in the encoder
  };

  /// `publish` is called in order, on the threads that call push() and advance(); it must not use
  /// the track. Throws std::runtime_error if there is no AAC encoder or it refuses the rate.
  AudioTrack(AudioSettings settings, Publish publish);

  void push(const media::Samples& samples);
  /// Reports that the video has reached `video`: fills with silence where audio is missing, so the
  /// track never stops.
  void advance(media::Pts video);
  State state() const;

 private:
  void encode(const std::vector<AudioBlock>& blocks);

  mutable std::mutex mutex_;
  AudioAligner aligner_;      // GUARDED_BY(mutex_)
  AacEncoder encoder_;        // GUARDED_BY(mutex_)
  std::uint64_t frames_ = 0;  // GUARDED_BY(mutex_)
  const Publish publish_;
};

}  // namespace transcoder
