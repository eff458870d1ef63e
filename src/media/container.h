#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "media/frame.h"

namespace media {

/// The format that wraps a stream's access units.
enum class Container { kMpegTs, kFlv, kMp4 };
inline constexpr std::array kContainers{Container::kMpegTs, Container::kFlv, Container::kMp4};

/// The suffix of a stream's path: ".ts" in /NAME.ts.
constexpr std::string_view suffix(Container container) {
  switch (container) {
    case Container::kFlv:
      return ".flv";
    case Container::kMp4:
      return ".mp4";
    case Container::kMpegTs:
      break;
  }
  return ".ts";
}

/// The container's name, for people and programs: "ts", "flv", "mp4".
constexpr std::string_view name(Container container) { return suffix(container).substr(1); }

/// AAC-LC in the notation of RFC 6381.
inline constexpr const char* kAudioCodec = "mp4a.40.2";

/// The bytes that FLV and MP4 need once, before the first frame of an H.264 stream: codec
/// parameters and the frames' format. Made by a group's encode thread, immutable.
struct Headers {
  std::string codec;              ///< of the video (RFC 6381): "avc3.640028"
  std::vector<std::uint8_t> flv;  ///< file header, metadata and sequence headers
  std::vector<std::uint8_t> mp4;  ///< ftyp and moov with both tracks, or video only without audio
  std::vector<std::uint8_t> mp4_video;  ///< ftyp and moov with the video track only
  std::vector<std::uint8_t> mp4_audio;  ///< ftyp and moov with the audio track; empty without audio
  PictureFormat format;
  bool operator==(const Headers&) const = default;
};
using HeadersPtr = std::shared_ptr<const Headers>;

/// Bytes made by the first thread that asks for them, then shared. Thread-safe. A copy starts
/// empty.
class LazyBytes {
 public:
  LazyBytes() = default;
  LazyBytes(const LazyBytes&) {}
  LazyBytes& operator=(const LazyBytes&) = delete;

  /// `make` returns the bytes; it runs at most once. The result lives as long as this object.
  template <typename Make>
  std::span<const std::uint8_t> get(Make make) const {
    std::call_once(made_, [&] { bytes_ = make(); });
    return bytes_;
  }

 private:
  mutable std::once_flag made_;
  mutable std::vector<std::uint8_t> bytes_;
};

}  // namespace media
