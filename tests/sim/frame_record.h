#pragma once

#include <array>
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

/// The rates of the audio, and the payload that each takes in MPEG-TS (app::WireFormat).
inline constexpr std::array kAudioRates{base::BitRate::kbps(128), base::BitRate::kbps(48),
                                        base::BitRate::kbps(32)};
inline constexpr std::array kAudioPayload{base::BitRate::kbps(153), base::BitRate::kbps(72),
                                          base::BitRate::kbps(71)};

inline constexpr base::ByteCount kFrameOverhead{130};

/// The simulated wire format: app::WireFormat with this audio, at 30 frames per second.
inline constexpr abr::Transport kTransport{
    .factor = 188.0 / 184,
    .fixed =
        kAudioPayload[2] + base::BitRate::of(kFrameOverhead, std::chrono::microseconds{33'333}),
    .more = {{{abr::kVideoPerAudio * kAudioRates[1], kAudioPayload[1] - kAudioPayload[2]},
              {abr::kVideoPerAudio * kAudioRates[0], kAudioPayload[0] - kAudioPayload[1]}}}};

/// Of a frame, without audio.
inline base::ByteCount size_on_wire(base::ByteCount video) {
  const auto bytes = kTransport.factor * static_cast<double>(video.bytes());
  return base::ByteCount{static_cast<std::int64_t>(bytes)} + kFrameOverhead;
}

}  // namespace sim
