#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/units.h"

namespace media {

/// Position on a stream's output timeline: monotonic, the same in every group, starts near zero.
/// pts = capture time - the stream's epoch, so a pts is also a capture time.
using Pts = std::chrono::nanoseconds;

/// Colour description as code points of ISO/IEC 23001-8 (as in H.264 VUI); 2 means unspecified.
struct Colour {
  int primaries = 2;
  int transfer = 2;
  int matrix = 2;
  bool full_range = false;
  bool operator==(const Colour&) const = default;
};

/// Size in pixels (even numbers), the source's sample aspect ratio and colours.
struct PictureFormat {
  int width = 0;
  int height = 0;
  int sar_num = 1;
  int sar_den = 1;
  Colour colour;
  bool operator==(const PictureFormat&) const = default;
};

/// One decoded frame: progressive planar 4:2:0, 8 bits (I420). Immutable once shared.
struct Frame {
  PictureFormat format;
  std::array<const std::uint8_t*, 3> plane{};  ///< Y, U, V; valid while `memory` lives
  std::array<int, 3> stride{};                 ///< bytes
  std::shared_ptr<const void> memory;          ///< keeps the planes alive
  std::uint64_t number = 0;                    ///< counts the stream's captured frames, from 0
  Pts pts{};
  base::Time captured{};  ///< when the frame left the source, on the monotonic clock
  double rate = 0;        ///< the stream's frames per second, as measured; 0 if unknown
};
using FramePtr = std::shared_ptr<const Frame>;

// Every source's audio is converted to this: a stream's track never changes (decision 3).
inline constexpr int kAudioRate = 48000;  ///< samples per second and channel
inline constexpr int kAudioChannels = 2;

/// Decoded audio: interleaved 32-bit float samples.
struct Samples {
  Pts pts{};                  ///< of the first sample
  std::vector<float> values;  ///< kAudioChannels values per sample
};

}  // namespace media
