#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "media/frame.h"

namespace transcoder {

/// Samples of one AAC frame.
inline constexpr std::int64_t kBlockSamples = 1024;

/// kBlockSamples of audio (interleaved), from block_pts(index) on.
struct AudioBlock {
  std::int64_t index = 0;
  std::vector<float> values;
};

/// index * kBlockSamples / kAudioRate. 375 blocks last 8 s exactly; in two steps, because weeks in
/// nanoseconds times kBlockSamples would overflow.
constexpr media::Pts block_pts(std::int64_t index) {
  static_assert(375 * kBlockSamples == 8 * media::kAudioRate);
  return index / 375 * std::chrono::seconds{8} + media::Pts{index % 375 * 8'000'000'000 / 375};
}

/// Cuts whatever audio arrives into one unbroken row of blocks on the stream's timeline:
///
///   gap before the audio          silence (never further than 1 s past the pictures)
///   overlap with what is written  dropped
///   off by 15 ms or less          taken as unbroken: rounded timestamps, clocks that drift;
///                                 more than 2 ms are taken back by a sample in 1024
///   no audio                      silence up to the pictures: at once if there is none at all,
///                                 later if there was some, for it may only be late
///
/// Pure: no clock, no thread.
class AudioAligner {
 public:
  struct Counts {
    std::uint64_t silence_samples = 0;
    std::uint64_t dropped_samples = 0;
  };

  std::vector<AudioBlock> push(const media::Samples& samples);
  std::vector<AudioBlock> advance(media::Pts video);
  const Counts& counts() const { return counts_; }

 private:
  std::int64_t patience() const;  ///< how late audio may be
  void start(std::int64_t position);
  void append(std::span<const float> values);
  void append_silence(std::int64_t samples);
  void drop(std::int64_t samples) {
    counts_.dropped_samples += static_cast<std::uint64_t>(samples);
  }
  std::vector<AudioBlock> take_blocks();

  std::optional<std::int64_t> cursor_;  ///< position, in samples, after what is written
  std::vector<float> pending_;          ///< the end of it that is not yet a whole block
  std::optional<std::int64_t> video_;   ///< position of the newest picture
  bool heard_ = false;                  ///< audio is arriving, if late
  std::int64_t lag_ = 0;                ///< how far behind the pictures it has lately been
  Counts counts_;
};

}  // namespace transcoder
