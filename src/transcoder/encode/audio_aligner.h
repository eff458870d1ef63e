#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "media/frame.h"
#include "transcoder/encode/aac_config.h"

namespace transcoder {

/// A block becomes one AAC frame.
inline constexpr std::int64_t kBlockSamples = kAacFrameSamples;

/// A gap of more than 10 s (the machine slept) is skipped, because filling it would block the
/// caller.
inline constexpr std::int64_t kMaxFillBlocks = 10 * media::kAudioRate / kBlockSamples;

/// kBlockSamples samples of audio that begin at block_pts(index).
struct AudioBlock {
  std::int64_t index = 0;
  std::vector<float> values;  ///< interleaved
};

/// index * kBlockSamples / kAudioRate. 375 blocks last exactly 8 s. Computed in two parts, because
/// weeks in nanoseconds times kBlockSamples would overflow.
constexpr media::Pts block_pts(std::int64_t index) {
  static_assert(375 * kBlockSamples == 8 * media::kAudioRate);
  return index / 375 * std::chrono::seconds{8} + media::Pts{index % 375 * 8'000'000'000 / 375};
}

/// Turns whatever audio arrives into an unbroken sequence of blocks on the stream's timeline:
///
///   gap of 15 to 64 ms            bridged by the audio before and after it, faded
///   gap before the audio          filled with silence, at most up to 1 s past the pictures
///   overlap with earlier audio    dropped
///   15 ms or less off             accepted as continuous: timestamps are rounded, clocks drift.
///                                 More than 2 ms are steered back by one sample in 1024
///   no audio                      filled with silence up to the pictures: at once if there was
///                                 none before, otherwise after a wait, because it may be late
///
/// No I/O, no clock, no thread.
class AudioAligner {
 public:
  struct Counts {
    std::uint64_t silence_samples = 0;  ///< bridges, too
    std::uint64_t dropped_samples = 0;
  };

  /// Adds audio, and returns the blocks that it completes.
  std::vector<AudioBlock> push(const media::Samples& samples);
  /// Reports that the video has reached `video`, and returns the blocks filled with silence.
  std::vector<AudioBlock> advance(media::Pts video);
  const Counts& counts() const { return counts_; }

 private:
  std::int64_t max_wait() const;  ///< how late audio may be, in samples
  void start(std::int64_t position);
  void append(std::span<const float> values);
  void append_silence(std::int64_t samples);
  void bridge(std::int64_t samples, std::span<const float> next);
  void remember(std::span<const float> values);
  void drop(std::int64_t samples) {
    counts_.dropped_samples += static_cast<std::uint64_t>(samples);
  }
  std::vector<AudioBlock> take_blocks();

  std::optional<std::int64_t> cursor_;  ///< end of the audio so far, in samples
  std::vector<float> pending_;          ///< the last part of it, not yet a whole block
  std::vector<float> newest_;           ///< the last audio, as much as a bridge needs
  std::optional<std::int64_t> video_;   ///< position of the newest picture, in samples
  bool heard_ = false;                  ///< audio is arriving, perhaps late
  std::int64_t lag_ = 0;                ///< recent lag of audio behind the pictures, in samples
  Counts counts_;
};

}  // namespace transcoder
