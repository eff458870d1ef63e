#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "media/audio_frame.h"
#include "media/frame.h"
#include "transcoder/encode/encoder.h"
#include "transcoder/settings.h"

namespace transcoder {

/// Muxes one video track, and optionally one AAC track, into MPEG-TS. Each call returns the whole
/// TS packets of one access unit at once. PAT, PMT and SDT precede each keyframe and appear nowhere
/// else. The PIDs are the same in every muxer. Each frame carries a PCR 400 ms before its PTS.
/// Timestamps are the stream's pts + 800 ms, at 90 kHz, modulo 2^33 (26.5 hours). Used by one
/// thread.
class TsMuxer {
 public:
  // libavformat's defaults.
  static constexpr int kPmtPid = 0x1000;
  static constexpr int kVideoPid = 0x100;
  static constexpr int kAudioPid = 0x101;

  /// `service`: the service name in the SDT. Throws std::runtime_error.
  TsMuxer(const std::string& service, VideoCodec video, bool audio);
  ~TsMuxer();

  base::Result<std::vector<std::uint8_t>> mux(const EncodedFrame& frame, media::Pts pts);
  base::Result<std::vector<std::uint8_t>> mux(const media::CodedAudio& audio, media::Pts pts);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace transcoder
