#pragma once

#include <array>
#include <chrono>
#include <optional>

#include "abr/audio_rungs.h"
#include "abr/transport.h"
#include "base/units.h"

namespace sim {

/// The fate of one captured frame.
struct FrameRecord {
  base::Time captured{};
  base::BitRate target;                 ///< the policy's rate at that time
  std::optional<base::Time> arrived{};  ///< the viewer has all of it; nullopt: skipped or dropped
  base::ByteCount size;                 ///< of the video; zero: skipped
};

inline constexpr std::array kAudioRates{base::BitRate::kbps(128), base::BitRate::kbps(48),
                                        base::BitRate::kbps(32)};

/// The bytes of a stream in one container, as app::WireFormat says.
struct Container {
  double factor;                       ///< payload per byte of video
  base::ByteCount frame;               ///< added to each video frame
  std::array<base::BitRate, 3> audio;  ///< payload of each of kAudioRates

  constexpr abr::Transport transport(base::Duration frame_interval) const {
    return {.factor = factor,
            .fixed = audio[2] + base::BitRate::of(frame, frame_interval),
            .audio = audio[2],
            .more = {{{abr::kVideoPerAudio * kAudioRates[1], audio[1] - audio[2]},
                      {abr::kVideoPerAudio * kAudioRates[0], audio[0] - audio[1]}}}};
  }
  /// Of a frame, without audio.
  base::ByteCount size_of(base::ByteCount video) const {
    const auto bytes = factor * static_cast<double>(video.bytes());
    return base::ByteCount{static_cast<std::int64_t>(bytes)} + frame;
  }
};

inline constexpr Container kMpegTs{
    188.0 / 184,
    base::ByteCount{130},
    {base::BitRate::kbps(153), base::BitRate::kbps(72), base::BitRate::kbps(71)}};
inline constexpr Container kFlv{
    1,
    base::ByteCount{30},
    {base::BitRate::kbps(134), base::BitRate::kbps(54), base::BitRate::kbps(38)}};

/// MPEG-TS at 30 frames per second.
inline constexpr abr::Transport kTransport = kMpegTs.transport(std::chrono::microseconds{33'333});

}  // namespace sim
