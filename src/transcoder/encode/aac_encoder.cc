#include "transcoder/encode/aac_encoder.h"

extern "C" {
#include <libavcodec/avcodec.h>
}

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "transcoder/encode/libav_handle.h"
#include "transcoder/encode/libav_log.h"

namespace transcoder {

namespace {

/// Replaces NaN and infinity, for which libavcodec rejects the whole frame. Loud sources may exceed
/// 1, so the limit is 2.
float usable(float value) { return std::isfinite(value) ? std::clamp(value, -2.F, 2.F) : 0.F; }

}  // namespace

class AacEncoder::Impl {
 public:
  explicit Impl(base::BitRate rate);
  std::optional<media::AudioFrame> encode(const AudioBlock& block);
  std::uint64_t failures() const { return failures_; }

 private:
  bool fill(const AudioBlock& block);

  LibavCodec codec_;
  LibavFrame frame_{av_frame_alloc()};
  LibavPacket packet_{av_packet_alloc()};
  std::optional<std::int64_t> first_;  ///< position of the first sample, in samples
  std::uint64_t failures_ = 0;
};

AacEncoder::Impl::Impl(base::BitRate rate) {
  capture_libav_log();
  const AVCodec* aac = avcodec_find_encoder(AV_CODEC_ID_AAC);
  codec_.reset(aac ? avcodec_alloc_context3(aac) : nullptr);
  if (!codec_) throw std::runtime_error{"libavcodec has no AAC encoder; install FFmpeg with one"};
  codec_->bit_rate = rate.bps();
  codec_->sample_rate = media::kAudioRate;
  codec_->sample_fmt = AV_SAMPLE_FMT_FLTP;
  codec_->time_base = {1, media::kAudioRate};
  codec_->profile = FF_PROFILE_AAC_LOW;
  av_channel_layout_default(&codec_->ch_layout, media::kAudioChannels);
  if (avcodec_open2(codec_.get(), aac, nullptr) < 0) {
    throw std::runtime_error{"the AAC encoder refuses " + std::to_string(rate.bps()) +
                             " bit/s; change audio.rate"};
  }
  frame_->nb_samples = kBlockSamples;
  frame_->format = AV_SAMPLE_FMT_FLTP;
  frame_->sample_rate = media::kAudioRate;
  av_channel_layout_copy(&frame_->ch_layout, &codec_->ch_layout);
  if (av_frame_get_buffer(frame_.get(), 0) < 0) throw std::bad_alloc{};
}

bool AacEncoder::Impl::fill(const AudioBlock& block) {
  if (av_frame_make_writable(frame_.get()) < 0) return false;
  for (int channel = 0; channel < media::kAudioChannels; ++channel) {
    auto* out = reinterpret_cast<float*>(frame_->data[channel]);
    for (std::int64_t i = 0; i < kBlockSamples; ++i) {
      out[i] = usable(block.values[static_cast<std::size_t>(i * media::kAudioChannels + channel)]);
    }
  }
  frame_->pts = block.index * kBlockSamples;
  return true;
}

std::optional<media::AudioFrame> AacEncoder::Impl::encode(const AudioBlock& block) {
  if (!first_) first_ = block.index * kBlockSamples;
  if (!fill(block) || avcodec_send_frame(codec_.get(), frame_.get()) < 0) {
    ++failures_;
    return std::nullopt;
  }
  if (const int received = avcodec_receive_packet(codec_.get(), packet_.get()); received < 0) {
    failures_ += received != AVERROR(EAGAIN);  // EAGAIN: no frame is ready yet
    return std::nullopt;
  }
  std::optional<media::AudioFrame> result;
  // The first packet only primes a decoder: it lies before the first sample.
  if (packet_->pts >= *first_) {
    result.emplace();
    result->pts = block_pts(packet_->pts / kBlockSamples);
    result->bytes.assign(packet_->data, packet_->data + packet_->size);
  }
  av_packet_unref(packet_.get());
  return result;
}

AacEncoder::AacEncoder(base::BitRate rate) : impl_{std::make_unique<Impl>(rate)} {}
AacEncoder::~AacEncoder() = default;

std::optional<media::AudioFrame> AacEncoder::encode(const AudioBlock& block) {
  return impl_->encode(block);
}
std::uint64_t AacEncoder::failures() const { return impl_->failures(); }

}  // namespace transcoder
