#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/units.h"
#include "media/frame.h"

namespace media {

/// Most rates that a stream's audio is offered at.
inline constexpr std::size_t kMaxAudioRungs = 3;
/// A set of them; 0 is the highest rate.
using AudioRungs = std::bitset<kMaxAudioRungs>;

/// The half of an AAC frame's window that overlaps the next frame (ISO/IEC 14496-3, 4.6.11): its
/// slope and its shape, the same in all channels. A decoder adds the overlapping halves of two
/// frames. Their aliasing cancels only if both have the same window there; otherwise it is heard as
/// a click.
enum class AudioWindow : std::uint8_t { kUnknown, kLongSine, kLongKbd, kShortSine, kShortKbd };

/// An audio frame at one rate: raw AAC-LC without ADTS, in two channels.
struct CodedAudio {
  std::vector<std::uint8_t> bytes;             ///< empty: not encoded at this rate
  AudioWindow begins = AudioWindow::kUnknown;  ///< `ends` of the frame before, at this rate
  AudioWindow ends = AudioWindow::kUnknown;

  /// Whether a decoder may take this frame after one that ends with `window`, of whatever rate.
  bool follows(AudioWindow window) const {
    return begins == window && window != AudioWindow::kUnknown;
  }
};

/// One audio frame at the rates that are being encoded, before a group's muxer wraps one of them.
struct AudioFrame {
  std::uint64_t number = 0;
  Pts pts{};
  base::Time encoded{};
  std::array<CodedAudio, kMaxAudioRungs> rungs;  ///< falling rates
};
using AudioFramePtr = std::shared_ptr<const AudioFrame>;

}  // namespace media
