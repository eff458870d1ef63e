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

/// Peak signal-to-noise ratio of one encoded frame against its source, in dB, per plane.
struct Psnr {
  double y = 0;
  double u = 0;
  double v = 0;
};

/// One access unit (one frame or one audio frame) and its bytes in each container, made once per
/// group and container, and shared, immutable, by every viewer of the group.
struct Packet {
  enum class Kind { kVideo, kAudio };

  Kind kind = Kind::kVideo;
  bool keyframe = false;
  /// Video: it and those after it refer to no frame from this number on that came before it, so
  /// a viewer who lacks those can go on with it. Empty: it needs the one before it, or is a
  /// keyframe.
  std::optional<std::uint64_t> recovers_from;
  /// Video: Frame::number. Audio: counts the stream's audio frames. The same in every group, so
  /// a viewer who changes group can be given every frame and audio exactly once.
  std::uint64_t number = 0;
  Pts pts{};
  base::Time captured{};           ///< Frame::captured; audio: when it was encoded
  base::BitRate rate;              ///< video: the group's rate target when it was encoded
  base::ByteCount target;          ///< video: what the rate allowed this frame
  std::optional<Psnr> psnr;        ///< when measuring was asked for
  base::Duration duration{};       ///< until the next one of its kind, as far as is known
  HeadersPtr headers;              ///< of a keyframe; null: only MPEG-TS has this codec
  std::vector<std::uint8_t> unit;  ///< as the encoder gave it: H.264 in Annex B, MPEG-2, raw AAC
  /// In MPEG-TS, whose packets count: a keyframe's begin with PAT, PMT and SDT.
  std::vector<std::uint8_t> ts;
  LazyBytes flv;
  LazyBytes mp4;

  /// Its bytes in a container; thread-safe, and they live as long as the packet.
  std::span<const std::uint8_t> in(Container container) const;
};
using PacketPtr = std::shared_ptr<const Packet>;

/// Frames of a stream by Packet::number, both ends included.
struct FrameRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  bool operator==(const FrameRange&) const = default;
};

/// One compressed audio frame (AAC-LC, raw, no ADTS), before a group's muxer wraps it.
struct AudioFrame {
  std::uint64_t number = 0;
  Pts pts{};
  base::Time encoded{};
  std::vector<std::uint8_t> bytes;
};
using AudioFramePtr = std::shared_ptr<const AudioFrame>;

/// Where packets flow: one encode group of one stream. Indexes are small and reused.
struct ChannelId {
  std::uint32_t stream = 0;
  std::uint32_t group = 0;
  auto operator<=>(const ChannelId&) const = default;
};

}  // namespace media
