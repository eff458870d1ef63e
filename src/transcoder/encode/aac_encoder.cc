#include "transcoder/encode/aac_encoder.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavutil/dict.h>
}

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "transcoder/encode/aac_bitstream.h"
#include "transcoder/encode/libav_handle.h"
#include "transcoder/encode/libav_log.h"

namespace transcoder {

namespace {

// libavcodec codes a pair of equal channels badly: its two-loop coder gives each channel half of
// the bits, although the side needs none. One channel that is made a pair afterwards (aac_pair) has
// 10 dB less noise in speech at 32 kbit/s. "fast" is as good as "twoloop" there, keeps to the rate,
// and costs a quarter of the CPU time.
constexpr auto kMonoOptions = "aac_coder=fast:aac_pns=0:aac_tns=0";
constexpr base::BitRate kPairOverhead{1300};  // of aac_pair(): 28 bits per frame
/// In Hz per bit/s, 9.6 kHz at 32 kbit/s. Less is dull speech, more is noise: at 12 kHz, 1 dB more.
constexpr double kMonoBandwidth = 0.3;

/// Replaces NaN and infinity, for which libavcodec rejects the whole frame. Loud sources may exceed
/// 1, so the limit is 2.
float usable(float value) { return std::isfinite(value) ? std::clamp(value, -2.F, 2.F) : 0.F; }

}  // namespace

class AacEncoder::Impl {
 public:
  Impl(base::BitRate rate, AacContent content);
  std::optional<AacFrame> encode(const AudioBlock& block);
  std::uint64_t failures() const { return failures_; }

 private:
  void open(const AVCodec* aac, base::BitRate rate);
  bool fill(const AudioBlock& block);
  std::optional<AacFrame> lose_frame();
  std::optional<AacFrame> take_packet();

  const bool mono_;

  LibavCodec codec_;
  LibavFrame frame_{av_frame_alloc()};
  LibavPacket packet_{av_packet_alloc()};
  std::optional<std::int64_t> first_;  ///< position of the first sample, in samples
  media::AudioWindow window_ = media::AudioWindow::kUnknown;  ///< of the last packet
  std::uint64_t failures_ = 0;
};

AacEncoder::Impl::Impl(base::BitRate rate, AacContent content)
    : mono_{content == AacContent::kMono} {
  capture_libav_log();
  const AVCodec* aac = avcodec_find_encoder(AV_CODEC_ID_AAC);
  codec_.reset(aac ? avcodec_alloc_context3(aac) : nullptr);
  if (!codec_) throw std::runtime_error{"libavcodec has no AAC encoder; install FFmpeg with one"};
  open(aac, rate);
  frame_->nb_samples = kBlockSamples;
  frame_->format = AV_SAMPLE_FMT_FLTP;
  frame_->sample_rate = media::kAudioRate;
  av_channel_layout_copy(&frame_->ch_layout, &codec_->ch_layout);
  if (av_frame_get_buffer(frame_.get(), 0) < 0) throw std::bad_alloc{};
}

void AacEncoder::Impl::open(const AVCodec* aac, base::BitRate rate) {
  codec_->bit_rate = (mono_ ? rate - kPairOverhead : rate).bps();
  codec_->sample_rate = media::kAudioRate;
  codec_->sample_fmt = AV_SAMPLE_FMT_FLTP;
  codec_->time_base = {1, media::kAudioRate};
  codec_->profile = FF_PROFILE_AAC_LOW;
  // Otherwise every 256th frame begins with the encoder's name, before the channels.
  codec_->flags |= AV_CODEC_FLAG_BITEXACT;
  av_channel_layout_default(&codec_->ch_layout, mono_ ? 1 : media::kAudioChannels);
  AVDictionary* options = nullptr;
  if (mono_) {
    codec_->cutoff = static_cast<int>(kMonoBandwidth * static_cast<double>(rate.bps()));
    av_dict_parse_string(&options, kMonoOptions, "=", ":", 0);
  }
  const int result = avcodec_open2(codec_.get(), aac, &options);
  av_dict_free(&options);
  if (result < 0) {
    throw std::runtime_error{"the AAC encoder refuses " + std::to_string(rate.bps()) +
                             " bit/s; change audio.rate"};
  }
}

bool AacEncoder::Impl::fill(const AudioBlock& block) {
  if (av_frame_make_writable(frame_.get()) < 0) return false;
  const auto* in = block.values.data();
  for (std::int64_t i = 0; i < kBlockSamples; ++i, in += media::kAudioChannels) {
    const auto left = usable(in[0]);
    const auto right = usable(in[1]);
    reinterpret_cast<float*>(frame_->data[0])[i] = mono_ ? (left + right) / 2 : left;
    if (!mono_) reinterpret_cast<float*>(frame_->data[1])[i] = right;
  }
  frame_->pts = block.index * kBlockSamples;
  return true;
}

/// The next frame does not overlap the one before the lost one.
std::optional<AacFrame> AacEncoder::Impl::lose_frame() {
  ++failures_;
  window_ = media::AudioWindow::kUnknown;
  return std::nullopt;
}

std::optional<AacFrame> AacEncoder::Impl::encode(const AudioBlock& block) {
  if (!first_) first_ = block.index * kBlockSamples;
  if (!fill(block) || avcodec_send_frame(codec_.get(), frame_.get()) < 0) return lose_frame();
  const int received = avcodec_receive_packet(codec_.get(), packet_.get());
  if (received == AVERROR(EAGAIN)) return std::nullopt;  // no frame is ready yet
  if (received < 0) return lose_frame();
  auto result = take_packet();
  av_packet_unref(packet_.get());
  return result;
}

std::optional<AacFrame> AacEncoder::Impl::take_packet() {
  const std::span packet{packet_->data, static_cast<std::size_t>(packet_->size)};
  AacFrame frame{.index = packet_->pts / kBlockSamples, .audio = {}};
  frame.audio.begins = std::exchange(window_, aac_window(packet));
  frame.audio.ends = window_;
  // The first packet only primes a decoder: it lies before the first sample.
  if (packet_->pts < *first_) return std::nullopt;
  if (!mono_) {
    frame.audio.bytes.assign(packet.begin(), packet.end());
    return frame;
  }
  auto pair = aac_pair(packet);
  if (!pair) return lose_frame();
  frame.audio.bytes = std::move(*pair);
  return frame;
}

AacEncoder::AacEncoder(base::BitRate rate, AacContent content)
    : impl_{std::make_unique<Impl>(rate, content)} {}
AacEncoder::~AacEncoder() = default;

std::optional<AacFrame> AacEncoder::encode(const AudioBlock& block) { return impl_->encode(block); }
std::uint64_t AacEncoder::failures() const { return impl_->failures(); }

}  // namespace transcoder
