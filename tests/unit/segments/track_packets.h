#pragma once

#include <memory>

#include "media/packet.h"

/// Small packets of a stream of 25 frames/s.
namespace track_packets {

inline constexpr media::Pts kFrame = std::chrono::milliseconds{40};

inline media::PacketPtr frame(media::Pts pts, bool keyframe = false,
                              base::Duration duration = kFrame) {
  auto packet = std::make_shared<media::Packet>();
  packet->keyframe = keyframe;
  packet->pts = pts;
  packet->duration = duration;
  packet->rate = base::BitRate::kbps(500);
  packet->unit = {0, 0, 1, 0x65, 1, 2, 3};
  if (keyframe) packet->headers = std::make_shared<const media::Headers>();
  return packet;
}

inline media::PacketPtr audio(std::uint64_t number) {
  auto packet = std::make_shared<media::Packet>();
  packet->kind = media::Packet::Kind::kAudio;
  packet->number = number;
  packet->duration = std::chrono::microseconds{21'333};
  packet->pts = static_cast<std::int64_t>(number) * packet->duration;
  packet->unit = {1, 2, 3};
  return packet;
}

/// Calls `push` for each frame in [begin, end). Those at `begin` and at every tick of 2 s are
/// keyframes.
template <typename Push>
void frames(media::Pts begin, media::Pts end, Push push) {
  for (auto pts = begin; pts < end; pts += kFrame) {
    push(frame(pts, pts == begin || pts % std::chrono::seconds{2} < kFrame));
  }
}

}  // namespace track_packets
