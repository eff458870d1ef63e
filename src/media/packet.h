#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/units.h"
#include "media/container.h"
#include "media/frame.h"

namespace media {

/// Peak signal-to-noise ratio of an encoded frame against its source, in dB per plane.
struct Psnr {
  float y = 0;
  float u = 0;
  float v = 0;
};

/// One access unit (a frame or an audio frame) and its bytes in each container. The bytes are made
/// once per group and container, and shared by every viewer of the group. Immutable.
struct Packet {
  enum class Kind { kVideo, kAudio };

  Kind kind = Kind::kVideo;
  bool keyframe = false;
  /// Set on a recovery frame: neither it nor any later frame references the frames from
  /// `recovers_from` up to itself, so a viewer who is missing those can decode it. nullopt if the
  /// frame needs the one before it, or is a keyframe.
  std::optional<std::uint64_t> recovers_from;
  /// Video: Frame::number. Audio: counts the stream's audio frames. The same in every group, so
  /// that a viewer who changes group receives every frame and audio frame exactly once.
  std::uint64_t number = 0;
  Pts pts{};
  base::Time captured{};           ///< Frame::captured; for audio, when it was encoded
  base::BitRate rate;              ///< video: the group's target rate when it was encoded
  base::ByteCount target;          ///< video: the size that the rate allows this frame
  std::optional<Psnr> psnr;        ///< only if measuring is switched on
  base::Duration duration{};       ///< expected time until the next packet of this kind
  HeadersPtr headers;              ///< on a keyframe; null if only MPEG-TS can carry the codec
  std::vector<std::uint8_t> unit;  ///< the encoder's output: H.264 in Annex B, MPEG-2, raw AAC
  std::vector<std::uint8_t> ts;    ///< whole TS packets; a keyframe's begin with PAT, PMT and SDT
  LazyBytes flv;
  LazyBytes mp4;

  /// The bytes in a container. Thread-safe; they live as long as the packet.
  std::span<const std::uint8_t> in(Container container) const;
};
using PacketPtr = std::shared_ptr<const Packet>;

/// Frames of a stream by Packet::number, both ends included.
struct FrameRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  bool operator==(const FrameRange&) const = default;
};

/// A channel of packets: one encode group of one stream. Indexes are small and reused.
struct ChannelId {
  std::uint32_t stream = 0;
  std::uint32_t group = 0;
  auto operator<=>(const ChannelId&) const = default;
};

}  // namespace media
