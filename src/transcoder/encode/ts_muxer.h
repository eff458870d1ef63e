#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "media/frame.h"
#include "media/packet.h"
#include "transcoder/encode/encoder.h"
#include "transcoder/settings.h"

namespace transcoder {

/// MPEG-TS of one video and, perhaps, one AAC track, one access unit at a time: the bytes of each
/// come out at once, in whole TS packets. PAT, PMT and SDT stand before each keyframe and nowhere
/// else; the PIDs are the same in every muxer; each picture carries a PCR that is 400 ms before
/// its PTS. Timestamps are the stream's pts + 800 ms, at 90 kHz, modulo 2^33 (26.5 hours).
/// Used by one thread. The constructor throws std::runtime_error.
class TsMuxer {
 public:
  static constexpr int kPmtPid = 0x1000;
  static constexpr int kVideoPid = 0x100;
  static constexpr int kAudioPid = 0x101;

  /// `service`: the service name in the SDT.
  TsMuxer(const std::string& service, VideoCodec video, bool audio);
  ~TsMuxer();

  base::Result<std::vector<std::uint8_t>> mux(const EncodedFrame& picture, media::Pts pts);
  base::Result<std::vector<std::uint8_t>> mux(const media::AudioFrame& frame);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace transcoder
