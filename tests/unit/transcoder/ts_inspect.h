#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// Parses and decodes MPEG-TS as a receiver does.
namespace transcoder::test {

/// The header of one 188-byte packet.
struct TsPacket {
  int pid = 0;
  int counter = 0;
  bool has_payload = false;
  bool starts_unit = false;
  bool random_access = false;
  std::optional<std::int64_t> pcr;  ///< 90 kHz
  std::optional<std::int64_t> pts;  ///< 90 kHz, of a PES packet that starts here
};

std::vector<TsPacket> parse_ts(std::span<const std::uint8_t> bytes);

/// The stream_type of each elementary stream in the PMT, by PID (ISO/IEC 13818-1, table 2-34);
/// empty if there is no PMT on TsMuxer's PID.
std::map<int, int> stream_types(std::span<const std::uint8_t> bytes);

/// The result of libavformat and libavcodec, and their messages of level "warning" or worse.
struct Decoded {
  unsigned tracks = 0;
  int pictures = 0;
  int audio_frames = 0;                 ///< AAC frames
  std::vector<std::int64_t> video_pts;  ///< 90 kHz in MPEG-TS, as demuxed
  std::vector<std::size_t> keyframes;   ///< indices into video_pts
  std::vector<std::int64_t> audio_pts;
  std::vector<float> samples;  ///< first channel only
  std::string service;
  std::vector<std::string> messages;
};

/// `demuxer` is libavformat's name of the container.
Decoded decode(std::span<const std::uint8_t> bytes, const char* demuxer);

inline Decoded decode_ts(std::span<const std::uint8_t> bytes) { return decode(bytes, "mpegts"); }

}  // namespace transcoder::test
