#pragma once

#include <cstdint>
#include <vector>

#include "media/packet.h"
#include "server/viewer_queue.h"

/// Small packets like a muxer's: whole TS packets whose payload contains group and number.
namespace packets {

inline constexpr std::chrono::milliseconds kFrame{33};
inline constexpr std::chrono::milliseconds kAudio{21};

inline std::vector<std::uint8_t> ts(std::uint16_t pid, std::uint8_t group, std::uint64_t number,
                                    std::size_t count) {
  std::vector<std::uint8_t> bytes(188 * count, 0xff);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint8_t* packet = &bytes[188 * i];
    packet[0] = 0x47;
    packet[1] = static_cast<std::uint8_t>(pid >> 8);
    packet[2] = static_cast<std::uint8_t>(pid);
    packet[3] = static_cast<std::uint8_t>(0x10 | ((number * count + i) & 0x0f));
    packet[4] = group;
    for (int shift = 0; shift < 8; ++shift) {
      packet[5 + shift] = static_cast<std::uint8_t>(number >> (8 * shift));
    }
  }
  return bytes;
}

inline media::PacketPtr frame(std::uint64_t number, bool keyframe = false, std::uint8_t group = 0,
                              std::size_t ts_packets = 2) {
  auto packet = std::make_shared<media::Packet>();
  packet->keyframe = keyframe;
  packet->number = number;
  packet->pts = number * kFrame;
  packet->rate = base::BitRate{1'000'000 + group};
  packet->ts = ts(0x100, group, number, ts_packets);
  return packet;
}

/// A recovery frame that does not reference the frames from `first` on.
inline media::PacketPtr recovering(std::uint64_t number, std::uint64_t first) {
  auto packet = std::make_shared<media::Packet>(*frame(number));
  packet->recovers_from = first;
  return packet;
}

inline media::PacketPtr audio(std::uint64_t number, std::uint8_t group = 0) {
  auto packet = std::make_shared<media::Packet>();
  packet->kind = media::Packet::Kind::kAudio;
  packet->number = number;
  packet->pts = number * kAudio;
  packet->ts = ts(0x101, group, number, 1);
  return packet;
}

inline server::QueuedPacket queued(media::PacketPtr packet) { return {std::move(packet)}; }

}  // namespace packets
