#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "media/frame.h"
#include "media/packet.h"
#include "transcoder/settings.h"

namespace transcoder {

/// Makes one continuous AAC-LC track of whatever audio arrives: silence where there is none or it
/// comes late, overlaps dropped, timestamps exact multiples of a frame. Encoded once per stream,
/// shared by all groups. Thread-safe; `publish` is called in order.
class AudioTrack {
 public:
  using Publish = std::function<void(media::AudioFramePtr)>;

  struct State {
    std::uint64_t silence_inserted_samples = 0;
    std::uint64_t overlap_dropped_samples = 0;
    std::uint64_t failures = 0;  ///< frames lost to the encoder
  };

  AudioTrack(AudioSettings settings, Publish publish);
  ~AudioTrack();

  void push(const media::Samples& samples);
  /// The picture clock: fills with silence what no audio has arrived for, so the track never stops.
  void advance(media::Pts video);
  State state() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace transcoder
