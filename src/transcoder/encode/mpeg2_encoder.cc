#include "transcoder/encode/mpeg2_encoder.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavutil/intreadwrite.h>
}

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "transcoder/encode/frame_budget.h"
#include "transcoder/encode/libav_handle.h"
#include "transcoder/encode/libav_log.h"
#include "transcoder/encode/limited_range.h"
#include "transcoder/encode/quantiser_control.h"
#include "transcoder/encode/scene_cut.h"

namespace transcoder {

namespace {

/// The fullness of libavcodec's model of the decoder's buffer. libavcodec encodes a frame again,
/// one quantiser coarser, while it takes more than
///   max(rc_max_available_vbv_use * fullness, fullness - 500) bits
/// Each frame empties a fullness of 500 bits, and its interval fills it again. So
/// rc_max_available_vbv_use alone sets the limit, and we set that before each frame.
constexpr int kBufferFullnessBits = 500;

/// Added to the level of libavcodec's messages. With that buffer model it reports "rc buffer
/// underflow" for each frame; we see errors as return values.
constexpr int kMuteLogOffset = 100;

/// The non-intra matrix of ISO/IEC 14496-2. It spends fewer bits than MPEG-2's own flat matrix on
/// fine detail that changes, which is mostly grain: moving pictures with grain need a fifth less
/// for the same quality (PSNR).
constexpr std::array<std::uint16_t, 64> kInterMatrix{
    16, 17, 18, 19, 20, 21, 22, 23, 17, 18, 19, 20, 21, 22, 23, 24, 18, 19, 20, 21, 22, 23,
    24, 25, 19, 20, 21, 22, 23, 24, 26, 27, 20, 21, 22, 23, 25, 26, 27, 28, 21, 22, 23, 24,
    26, 27, 28, 30, 22, 23, 24, 26, 27, 28, 30, 31, 23, 24, 25, 27, 28, 30, 31, 33};

/// frame_rate_code 1 to 8 (ISO/IEC 13818-2, table 6-4).
constexpr std::array<AVRational, 8> kMpeg2FrameRates{
    {{24000, 1001}, {24, 1}, {25, 1}, {30000, 1001}, {30, 1}, {50, 1}, {60000, 1001}, {60, 1}}};

/// The lowest rate of MPEG-2 that is at least `frame_rate`, which may be rounded, like 29.97, or
/// measured: source clocks drift, and the nearest rates, 24/1.001 and 24, differ by 0.1 %.
AVRational frame_rate_for(double frame_rate) {
  constexpr double kMaxRateExcess = 0.0005;
  const auto* at = std::ranges::find_if(kMpeg2FrameRates, [=](AVRational rate) {
    return av_q2d(rate) >= frame_rate * (1 - kMaxRateExcess);
  });
  return at == kMpeg2FrameRates.end() ? kMpeg2FrameRates.back() : *at;
}

/// A level of the main profile (tables 8-3 and 8-10 to 8-14). Every receiver supports the lowest.
struct Level {
  int code;
  int width;
  int height;
  double frame_rate;
  double luma_rate;  ///< samples per second
  int megabits;      ///< per second
  int buffer_units;  ///< of 16384 bits
};
constexpr std::array<Level, 3> kMainProfileLevels{{{8, 720, 576, 30, 10'368'000, 15, 112},
                                                   {6, 1440, 1152, 60, 47'001'600, 60, 448},
                                                   {4, 1920, 1152, 60, 62'668'800, 80, 597}}};

const Level& level_for(const media::PictureFormat& format, AVRational frame_rate) {
  const double pictures = av_q2d(frame_rate);
  const auto* at = std::ranges::find_if(kMainProfileLevels, [&](const Level& level) {
    return format.width <= level.width && format.height <= level.height &&
           pictures <= level.frame_rate &&
           pictures * format.width * format.height <= level.luma_rate;
  });
  return at == kMainProfileLevels.end() ? kMainProfileLevels.back() : *at;
}

void set_format(AVCodecContext& codec, const media::PictureFormat& format) {
  constexpr int kSizeModulus = 4096;  // the lower 12 bits of a size must not be 0
  if (format.width % 2 != 0 || format.height % 2 != 0 || format.width % kSizeModulus == 0 ||
      format.height % kSizeModulus == 0) {
    throw std::runtime_error{"MPEG-2 does not support a picture size of " +
                             std::to_string(format.width) + "x" + std::to_string(format.height)};
  }
  codec.width = format.width;
  codec.height = format.height;
  codec.pix_fmt = AV_PIX_FMT_YUV420P;
  codec.sample_aspect_ratio = {format.sar_num, format.sar_den};
  const auto& colour = format.colour;
  codec.color_primaries = static_cast<AVColorPrimaries>(colour.primaries);
  codec.color_trc = static_cast<AVColorTransferCharacteristic>(colour.transfer);
  codec.colorspace = colour.matrix == AVCOL_SPC_RGB ? AVCOL_SPC_UNSPECIFIED
                                                    : static_cast<AVColorSpace>(colour.matrix);
}

void set_stream(AVCodecContext& codec, AVRational frame_rate, const Level& level) {
  codec.time_base = av_inv_q(frame_rate);
  codec.profile = FF_PROFILE_MPEG2_MAIN;
  codec.level = level.code;
  codec.rc_max_rate = level.megabits * std::int64_t{1'000'000};  // only for the header
  codec.bit_rate = 0;
  codec.max_b_frames = 0;
  codec.gop_size = std::numeric_limits<int>::max();
  codec.strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL;  // otherwise gop_size is 600 at most
  codec.flags |= AV_CODEC_FLAG_LOW_DELAY | AV_CODEC_FLAG_CLOSED_GOP;
  // Without this flag the encoder's reference frames differ from those of decoders, because it does
  // not apply mismatch control (7.4.4) to them.
  codec.flags |= AV_CODEC_FLAG_BITEXACT;
}

void set_quantiser(AVCodecContext& codec) {
  codec.flags |= AV_CODEC_FLAG_QSCALE;
  codec.qmin = 1;
  codec.qmax = QuantiserControl::kCoarsestCode;  // a frame that is encoded again may have up to 31
  codec.rc_buffer_size = kBufferFullnessBits + 1;
  codec.rc_initial_buffer_occupancy = kBufferFullnessBits;
  codec.inter_matrix = static_cast<std::uint16_t*>(av_malloc(sizeof kInterMatrix));
  if (codec.inter_matrix == nullptr) throw std::bad_alloc{};
  std::ranges::copy(kInterMatrix, codec.inter_matrix);
}

void set_options(AVDictionary** options) {
  // No scene detection in libavcodec, because each I-frame would be a keyframe.
  av_dict_set_int(options, "sc_threshold", std::numeric_limits<int>::max(), 0);
  // Scales from 1 to 112, with finer steps at the fine end; the linear scales are 2 to 62.
  av_dict_set_int(options, "non_linear_quant", 1, 0);
}

/// libavcodec's statistics of a frame (AV_PKT_DATA_QUALITY_STATS).
struct Statistics {
  int code;                         ///< quantiser code of the final attempt
  std::array<double, 3> squares{};  ///< sums of squared errors of Y, U and V, if measured
};

/// nullopt if the packet has no statistics.
std::optional<Statistics> statistics_of(const AVPacket& packet) {
  std::size_t size = 0;
  const std::uint8_t* bytes = av_packet_get_side_data(&packet, AV_PKT_DATA_QUALITY_STATS, &size);
  constexpr std::size_t kHeaderBytes = 8;
  if (bytes == nullptr || size < kHeaderBytes) return {};
  Statistics result{.code = static_cast<int>(AV_RL32(bytes) / FF_QP2LAMBDA)};
  for (std::size_t i = 0; i < result.squares.size() && size >= kHeaderBytes + 8 * (i + 1); ++i) {
    result.squares[i] = static_cast<double>(AV_RL64(bytes + kHeaderBytes + 8 * i));
  }
  return result;
}

float decibels(double squares, int samples) {
  constexpr float kLosslessPsnr = 100;  // dB; x264's value for frames without an error
  if (squares <= 0) return kLosslessPsnr;
  return static_cast<float>(10 * std::log10(255. * 255 * samples / squares));
}

/// Sets vbv_buffer_size in the sequence header at the beginning of `bytes` (ISO/IEC 13818-2,
/// 6.2.2.1): 10 bits after a start code, 50 bits and a marker.
void declare_buffer(std::span<std::uint8_t> bytes, int units) {
  bytes[10] = static_cast<std::uint8_t>((bytes[10] & 0xe0) | units >> 5);
  bytes[11] = static_cast<std::uint8_t>((units & 0x1f) << 3 | (bytes[11] & 0x07));
}

class Mpeg2Encoder : public Encoder {
 public:
  Mpeg2Encoder(const EncoderSettings& settings, const media::PictureFormat& format,
               double frame_rate, base::BitRate rate);

  void retarget(base::BitRate rate) override { budget_.retarget(rate); }
  void set_effort(std::size_t /*effort*/) override {}
  void skip(media::Pts pts) override { budget_.skip(pts); }
  bool recover(std::uint64_t /*number*/) override { return false; }
  base::Result<EncodedFrame> encode(const media::Frame& frame, bool keyframe) override;

 private:
  void set_input(const media::Frame& picture);
  base::Result<EncodedFrame> take_frame(QuantiserControl::Kind kind);

  FrameBudget budget_;
  QuantiserControl quantiser_;
  SceneCut scene_cut_;
  LimitedRange limited_range_;
  int buffer_units_ = 0;  ///< of the level
  LibavCodec codec_;
  LibavFrame frame_{av_frame_alloc()};
  LibavPacket packet_{av_packet_alloc()};
  std::int64_t frames_ = 0;
};

Mpeg2Encoder::Mpeg2Encoder(const EncoderSettings& settings, const media::PictureFormat& format,
                           double frame_rate, base::BitRate rate)
    : budget_{rate, settings.vbv, frame_rate},
      quantiser_{settings.crf, format.width * format.height} {
  capture_libav_log();
  const AVCodec* mpeg2 = avcodec_find_encoder(AV_CODEC_ID_MPEG2VIDEO);
  if (mpeg2 == nullptr) {
    throw std::runtime_error{"libavcodec has no MPEG-2 encoder; install FFmpeg with one"};
  }
  codec_.reset(avcodec_alloc_context3(mpeg2));
  if (!codec_ || !frame_ || !packet_) throw std::bad_alloc{};
  set_format(*codec_, format);
  const auto header_rate = frame_rate_for(frame_rate);
  const auto& level = level_for(format, header_rate);
  buffer_units_ = level.buffer_units;
  set_stream(*codec_, header_rate, level);
  set_quantiser(*codec_);
  if (settings.psnr) codec_->flags |= AV_CODEC_FLAG_PSNR;
  codec_->thread_count = settings.threads;
  codec_->thread_type = FF_THREAD_SLICE;
  AVDictionary* options = nullptr;
  set_options(&options);
  const int result = avcodec_open2(codec_.get(), mpeg2, &options);
  const int unknown = av_dict_count(options);
  av_dict_free(&options);
  if (result < 0) throw std::runtime_error{"MPEG-2 encoder: open: " + libav_error(result)};
  if (unknown > 0) {
    throw std::runtime_error{"libavcodec's MPEG-2 encoder is missing an option; update FFmpeg"};
  }
  codec_->log_level_offset = kMuteLogOffset;
}

base::Result<EncodedFrame> Mpeg2Encoder::encode(const media::Frame& frame, bool keyframe) {
  using Kind = QuantiserControl::Kind;
  const bool intra = keyframe || frames_ == 0;
  const auto kind = scene_cut_.update(frame) || intra ? Kind::kNew : Kind::kPredicted;
  const auto room = budget_.next(frame.pts);
  codec_->rc_max_available_vbv_use = static_cast<float>(room.bits()) / kBufferFullnessBits;
  set_input(limited_range_.convert(frame));
  frame_->pts = frames_++;
  frame_->pict_type = intra ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE;
  frame_->quality = quantiser_.choose(kind, room) * FF_QP2LAMBDA;
  // libavcodec copies the planes, because they are not backed by a buffer of libavutil.
  int result = avcodec_send_frame(codec_.get(), frame_.get());
  if (result >= 0) result = avcodec_receive_packet(codec_.get(), packet_.get());
  if (result < 0) return base::Error{"MPEG-2 encoder: encode: " + libav_error(result)};
  return take_frame(kind);
}

void Mpeg2Encoder::set_input(const media::Frame& picture) {
  frame_->format = codec_->pix_fmt;
  frame_->width = codec_->width;
  frame_->height = codec_->height;
  for (int i = 0; i < 3; ++i) {
    frame_->data[i] = const_cast<std::uint8_t*>(picture.plane[i]);  // libavcodec only reads it
    frame_->linesize[i] = picture.stride[i];
  }
}

base::Result<EncodedFrame> Mpeg2Encoder::take_frame(QuantiserControl::Kind kind) {
  const auto statistics = statistics_of(*packet_);
  if (!statistics) {
    return base::Error{"MPEG-2 encoder: libavcodec does not report the quantiser; update FFmpeg"};
  }
  const base::ByteCount size{packet_->size};
  budget_.spend(size);
  quantiser_.coded(kind, statistics->code, size);
  EncodedFrame result;
  result.bytes.assign(packet_->data, packet_->data + packet_->size);
  result.keyframe = (packet_->flags & AV_PKT_FLAG_KEY) != 0;
  result.target = budget_.target();
  if (result.keyframe) declare_buffer(result.bytes, buffer_units_);
  if ((codec_->flags & AV_CODEC_FLAG_PSNR) != 0) {
    const int samples = codec_->width * codec_->height;
    const auto& squares = statistics->squares;
    result.psnr = media::Psnr{.y = decibels(squares[0], samples),
                              .u = decibels(squares[1], samples / 4),
                              .v = decibels(squares[2], samples / 4)};
  }
  av_packet_unref(packet_.get());
  return result;
}

}  // namespace

std::unique_ptr<Encoder> open_mpeg2(const EncoderSettings& settings,
                                    const media::PictureFormat& format, double frame_rate,
                                    base::BitRate rate) {
  return std::make_unique<Mpeg2Encoder>(settings, format, frame_rate, rate);
}

}  // namespace transcoder
