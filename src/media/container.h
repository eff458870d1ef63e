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

namespace media {

/// How a stream's access units are wrapped.
enum class Container { kMpegTs, kFlv, kMp4 };
inline constexpr std::array kContainers{Container::kMpegTs, Container::kFlv, Container::kMp4};

/// Of a stream's path: /NAME.ts.
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

/// Its name, for people and programs: the suffix without its dot.
constexpr std::string_view name(Container container) { return suffix(container).substr(1); }

/// Of the audio, as RFC 6381 has it: AAC-LC.
inline constexpr const char* kAudioCodec = "mp4a.40.2";

/// What the containers say once of an H.264 stream, before its first frame: how frames are
/// coded, and their size. Made by a group's encode thread, immutable.
struct Headers {
  std::string codec;              ///< of the frames, as RFC 6381 has it: "avc3.640028"
  std::vector<std::uint8_t> flv;  ///< header, metadata, sequence headers: the begin of a response
  std::vector<std::uint8_t> mp4;  ///< ftyp and moov, frames and audio
  std::vector<std::uint8_t> mp4_video;  ///< likewise, frames alone
  std::vector<std::uint8_t> mp4_audio;  ///< likewise, audio; empty: there is none
  int width = 0;
  int height = 0;
  bool operator==(const Headers&) const = default;
};
using HeadersPtr = std::shared_ptr<const Headers>;

/// Bytes that are made when they are first asked for, by whoever asks, and then shared.
/// Thread-safe. A copy begins empty.
class LazyBytes {
 public:
  LazyBytes() = default;
  LazyBytes(const LazyBytes&) {}
  LazyBytes& operator=(const LazyBytes&) = delete;

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
