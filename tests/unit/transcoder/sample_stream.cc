#include "sample_stream.h"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "transcoder/encode/open_encoder.h"

namespace transcoder::test {

namespace {

media::PictureFormat format() {
  media::PictureFormat result;
  result.width = 320;
  result.height = 180;
  return result;
}

std::vector<std::uint8_t> value(base::Result<std::vector<std::uint8_t>> result) {
  if (!result) throw std::runtime_error{result.error()};
  return std::move(*result);
}

/// The first block that begins at or after `pts`.
std::int64_t block_at(media::Pts pts) {
  std::int64_t index = pts / std::chrono::seconds{8} * 375;
  while (block_pts(index) < pts) ++index;
  return index;
}

}  // namespace

SampleStream::SampleStream(media::Pts start, bool audio, base::BitRate rate, VideoCodec codec,
                           base::BitRate audio_rate)
    : start_{start},
      has_audio_{audio},
      encoder_{open_encoder({.codec = codec}, format(), 30, rate)},
      aac_{audio_rate},
      muxer_{"live", codec, audio},
      block_{block_at(start)} {}

EncodedFrame SampleStream::frame(bool keyframe) {
  const auto picture = source_.next(frame_pts());
  auto result = encoder_->encode(*picture, keyframe || frames_ % 30 == 0);
  if (!result) throw std::runtime_error{result.error()};
  ++frames_;
  return std::move(*result);
}

media::AudioFrame SampleStream::audio_frame() {
  for (;;) {
    AudioBlock block{.index = block_++, .values = {}};
    for (int i = 0; i < kBlockSamples; ++i) {
      const auto position = static_cast<double>(block.index * kBlockSamples + i);
      const auto sample = static_cast<float>(0.5 * std::sin(position * 6.283185307 / 48));
      block.values.insert(block.values.end(), media::kAudioChannels, sample);
    }
    auto coded = aac_.encode(block);
    if (!coded) continue;
    audio_pts_ = block_pts(coded->index);
    media::AudioFrame frame{.number = audio_frames_++, .pts = audio_pts_};
    frame.rungs[0] = std::move(coded->audio);
    return frame;
  }
}

std::vector<std::uint8_t> SampleStream::video(bool keyframe) {
  const auto pts = frame_pts();
  const auto encoded = frame(keyframe);
  elementary_bytes_ += static_cast<double>(encoded.bytes.size());
  return value(muxer_.mux(encoded, pts));
}

std::vector<std::uint8_t> SampleStream::audio() {
  const auto encoded = audio_frame();
  elementary_bytes_ += static_cast<double>(encoded.rungs[0].bytes.size());
  return value(muxer_.mux(encoded.rungs[0], encoded.pts));
}

std::vector<std::uint8_t> SampleStream::seconds(int count) {
  std::vector<std::uint8_t> bytes;
  for (int i = 0; i < count * 30; ++i) {
    const auto until = frame_pts();
    const auto unit = video();
    bytes.insert(bytes.end(), unit.begin(), unit.end());
    while (has_audio_ && audio_pts_ < until) {
      const auto audio_unit = audio();
      bytes.insert(bytes.end(), audio_unit.begin(), audio_unit.end());
    }
  }
  return bytes;
}

}  // namespace transcoder::test
