#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "media/audio_frame.h"
#include "media/frame.h"
#include "transcoder/encode/aac_encoder.h"
#include "transcoder/encode/audio_aligner.h"
#include "transcoder/settings.h"

namespace transcoder {

/// Turns whatever audio arrives into one continuous AAC-LC track: fills gaps with silence, drops
/// overlaps, and gives each frame a pts that is an exact multiple of its duration. Encoded once per
/// stream, at each rate that a group wants (audio_rates()), and shared by all groups. Thread-safe.
///
/// Encodes on the caller's thread: 21 ms of audio cost about 0.5 ms of CPU per rate, less than the
/// delay of handing them to another thread in order.
class AudioTrack {
 public:
  using Publish = std::function<void(media::AudioFramePtr)>;

  struct State {
    std::uint64_t silence_inserted_samples = 0;
    std::uint64_t overlap_dropped_samples = 0;
    std::uint64_t failures = 0;  ///< frames lost in an encoder
    unsigned encoders = 0;       ///< rates being encoded
  };

  /// `publish` is called in order, on the threads that call push() and advance(). Of the track, it
  /// may only use want(). Throws std::runtime_error if there is no AAC encoder or it refuses a
  /// rate.
  AudioTrack(AudioSettings settings, Publish publish);

  /// The rungs that groups use or want, from now on. The highest is always encoded. A lower one has
  /// frames from about two frames later on; nobody having wanted it for 3 s, it stops.
  void want(media::AudioRungs rungs) { wanted_.store(rungs.to_ulong(), std::memory_order_relaxed); }

  void push(const media::Samples& samples);
  /// Reports that the video has reached `video`: fills with silence where audio is missing, so the
  /// track never stops.
  void advance(media::Pts video);
  State state() const;

 private:
  struct Rung {
    std::unique_ptr<AacEncoder> encoder;  ///< null while nobody wants it
    std::int64_t wanted = 0;              ///< the last block for which somebody did
  };

  std::unique_ptr<AacEncoder> open(std::size_t rung) const;
  void follow_wanted(std::int64_t block);              // REQUIRES: mutex_
  void encode(const std::vector<AudioBlock>& blocks);  // REQUIRES: mutex_
  void encode(const AudioBlock& block);                // REQUIRES: mutex_

  const std::vector<base::BitRate> rates_;
  const Publish publish_;
  std::atomic<unsigned long> wanted_ = 0;
  mutable std::mutex mutex_;
  AudioAligner aligner_;                           // GUARDED_BY(mutex_)
  std::array<Rung, media::kMaxAudioRungs> rungs_;  // GUARDED_BY(mutex_)
  std::uint64_t frames_ = 0;                       // GUARDED_BY(mutex_)
  std::uint64_t past_failures_ = 0;                // GUARDED_BY(mutex_); of closed encoders
};

}  // namespace transcoder
