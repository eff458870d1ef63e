#include "transcoder/encode/ts_muxer.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/opt.h>
}

#include <algorithm>
#include <array>
#include <new>
#include <ratio>
#include <stdexcept>
#include <utility>

#include "transcoder/encode/aac_config.h"
#include "transcoder/encode/libav_handle.h"
#include "transcoder/encode/libav_log.h"

namespace transcoder {

namespace {

/// How far timestamps lie after the PCR. A receiver that decodes on time needs every byte of an
/// access unit before its timestamp: frames need 60 ms of rate buffer; audio needs 64 ms (three AAC
/// frames) plus its lag behind the pictures in the source (0.28 s with ffmpeg's MPEG-TS). This
/// delays no byte. libavformat adds it to the PCR too, so that none is negative.
constexpr std::chrono::milliseconds kPcrLead{400};

/// Period of the tables in seconds: "never" (a day), because they are sent before keyframes only.
constexpr const char* kTablePeriodSeconds = "86400";

/// libavformat's write buffer; a smaller one only calls collect() more often.
constexpr std::size_t kIoBufferBytes = 64 * 1024;

AVCodecID codec_id(VideoCodec codec) {
  return codec == VideoCodec::kMpeg2 ? AV_CODEC_ID_MPEG2VIDEO : AV_CODEC_ID_H264;
}

std::int64_t to_90khz(media::Pts pts) {
  using Ticks = std::chrono::duration<std::int64_t, std::ratio<1, 90'000>>;
  return std::chrono::round<Ticks>(pts).count();
}

struct FreeIo {
  void operator()(AVIOContext* io) const {
    av_freep(&io->buffer);
    avio_context_free(&io);
  }
};
struct FreeFormat {
  void operator()(AVFormatContext* format) const { avformat_free_context(format); }
};

}  // namespace

class TsMuxer::Impl {
 public:
  Impl(const std::string& service, VideoCodec video, bool audio);

  base::Result<std::vector<std::uint8_t>> write(int track, const std::vector<std::uint8_t>& bytes,
                                                media::Pts pts, bool keyframe);

 private:
  static int collect(void* out, std::uint8_t* bytes, int size) noexcept {
    auto& collected = *static_cast<std::vector<std::uint8_t>*>(out);
    collected.insert(collected.end(), bytes, bytes + size);
    return size;
  }

  AVCodecParameters& add_track(AVMediaType type, AVCodecID codec, int pid);
  void add_audio();
  void write_header();

  std::vector<std::uint8_t> out_;
  std::unique_ptr<AVIOContext, FreeIo> io_;
  std::unique_ptr<AVFormatContext, FreeFormat> format_;  // uses io_
  LibavPacket packet_{av_packet_alloc()};
  std::array<std::int64_t, 2> last_{AV_NOPTS_VALUE, AV_NOPTS_VALUE};  ///< timestamp of each track
};

TsMuxer::Impl::Impl(const std::string& service, VideoCodec video, bool audio) {
  capture_libav_log();
  auto* buffer = static_cast<unsigned char*>(av_malloc(kIoBufferBytes));
  io_.reset(avio_alloc_context(buffer, kIoBufferBytes, 1, &out_, nullptr, collect, nullptr));
  AVFormatContext* format = nullptr;
  if (!io_ || avformat_alloc_output_context2(&format, nullptr, "mpegts", nullptr) < 0) {
    throw std::runtime_error{"libavformat has no MPEG-TS muxer; install FFmpeg with one"};
  }
  format_.reset(format);
  format_->pb = io_.get();
  format_->max_delay = std::chrono::microseconds{kPcrLead}.count();
  format_->avoid_negative_ts = 0;
  av_dict_set(&format_->metadata, "service_name", service.c_str(), 0);
  av_dict_set(&format_->metadata, "service_provider", "symcast", 0);
  add_track(AVMEDIA_TYPE_VIDEO, codec_id(video), kVideoPid);
  if (audio) add_audio();
  write_header();
}

AVCodecParameters& TsMuxer::Impl::add_track(AVMediaType type, AVCodecID codec, int pid) {
  AVStream* track = avformat_new_stream(format_.get(), nullptr);
  if (track == nullptr) throw std::bad_alloc{};
  track->id = pid;
  track->codecpar->codec_type = type;
  track->codecpar->codec_id = codec;
  return *track->codecpar;
}

void TsMuxer::Impl::add_audio() {
  auto& codec = add_track(AVMEDIA_TYPE_AUDIO, AV_CODEC_ID_AAC, kAudioPid);
  codec.sample_rate = media::kAudioRate;
  codec.frame_size = kAacFrameSamples;
  codec.profile = FF_PROFILE_AAC_LOW;
  av_channel_layout_default(&codec.ch_layout, media::kAudioChannels);
  codec.extradata =
      static_cast<std::uint8_t*>(av_mallocz(kAacConfig.size() + AV_INPUT_BUFFER_PADDING_SIZE));
  if (codec.extradata == nullptr) throw std::bad_alloc{};
  std::ranges::copy(kAacConfig, codec.extradata);
  codec.extradata_size = kAacConfig.size();
}

void TsMuxer::Impl::write_header() {
  AVDictionary* options = nullptr;
  av_dict_set_int(&options, "mpegts_pmt_start_pid", kPmtPid, 0);
  av_dict_set_int(&options, "pes_payload_size", 0, 0);  // one AAC frame per PES packet
  av_dict_set(&options, "pat_period", kTablePeriodSeconds, 0);
  av_dict_set(&options, "sdt_period", kTablePeriodSeconds, 0);
  const int result = avformat_write_header(format_.get(), &options);
  av_dict_free(&options);
  if (result < 0) throw std::runtime_error{"MPEG-TS muxer: " + libav_error(result)};
}

base::Result<std::vector<std::uint8_t>> TsMuxer::Impl::write(int track,
                                                             const std::vector<std::uint8_t>& bytes,
                                                             media::Pts pts, bool keyframe) {
  // Two frames within a tick of 90 kHz still need increasing timestamps.
  auto& last = last_[track];
  last = last == AV_NOPTS_VALUE ? to_90khz(pts) : std::max(to_90khz(pts), last + 1);
  packet_->data = const_cast<std::uint8_t*>(bytes.data());  // the muxer only reads it
  packet_->size = static_cast<int>(bytes.size());
  packet_->stream_index = track;
  packet_->pts = packet_->dts = last;
  packet_->flags = keyframe ? AV_PKT_FLAG_KEY : 0;
  if (keyframe) {
    av_opt_set(format_->priv_data, "mpegts_flags", "+resend_headers", 0);
  }
  int result = av_write_frame(format_.get(), packet_.get());
  // Flush: otherwise an audio frame of less than 170 bytes (silence) waits for the next one,
  // regardless of the options.
  if (result >= 0) result = av_write_frame(format_.get(), nullptr);
  avio_flush(io_.get());
  auto written = std::exchange(out_, {});
  if (result < 0) return base::Error{"MPEG-TS muxer: " + libav_error(result)};
  return written;
}

TsMuxer::TsMuxer(const std::string& service, VideoCodec video, bool audio)
    : impl_{std::make_unique<Impl>(service, video, audio)} {}
TsMuxer::~TsMuxer() = default;

base::Result<std::vector<std::uint8_t>> TsMuxer::mux(const EncodedFrame& frame, media::Pts pts) {
  return impl_->write(0, frame.bytes, pts, frame.keyframe);
}

base::Result<std::vector<std::uint8_t>> TsMuxer::mux(const media::CodedAudio& audio,
                                                     media::Pts pts) {
  return impl_->write(1, audio.bytes, pts, false);
}

}  // namespace transcoder
