#include "ts_inspect.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/log.h>
}

#include <array>
#include <cstdarg>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "transcoder/encode/ts_muxer.h"

namespace transcoder::test {

namespace {

constexpr std::size_t kPacketSize = 188;

std::int64_t read_pts(const std::uint8_t* p) {
  return std::int64_t{(p[0] >> 1) & 7} << 30 | p[1] << 22 | (p[2] >> 1) << 15 | p[3] << 7 |
         p[4] >> 1;
}

TsPacket parse_packet(const std::uint8_t* p) {
  if (p[0] != 0x47) throw std::runtime_error{"no sync byte"};
  TsPacket packet{.pid = (p[1] & 0x1f) << 8 | p[2],
                  .counter = p[3] & 0x0f,
                  .has_payload = (p[3] & 0x10) != 0,
                  .starts_unit = (p[1] & 0x40) != 0};
  std::size_t payload = 4;
  if (p[3] & 0x20) {
    payload += 1 + p[4];
    if (p[4] > 0) packet.random_access = (p[5] & 0x40) != 0;
    if (p[4] > 0 && (p[5] & 0x10)) {
      packet.pcr = std::int64_t{p[6]} << 25 | p[7] << 17 | p[8] << 9 | p[9] << 1 | p[10] >> 7;
    }
  }
  const auto* pes = p + payload;
  if (packet.starts_unit && pes[0] == 0 && pes[1] == 0 && pes[2] == 1 && (pes[7] & 0x80)) {
    packet.pts = read_pts(pes + 9);
  }
  return packet;
}

std::vector<std::string>* listener = nullptr;

void listen(void* context, int level, const char* format, std::va_list arguments) {
  if (level > AV_LOG_WARNING || listener == nullptr) return;
  std::array<char, 300> line{};
  int print_prefix = 1;
  av_log_format_line(context, level, format, arguments, line.data(), line.size(), &print_prefix);
  listener->emplace_back(line.data());
}

struct Input {
  std::span<const std::uint8_t> rest;

  static int read(void* self, std::uint8_t* out, int size) {
    auto& rest = static_cast<Input*>(self)->rest;
    const auto n = std::min(rest.size(), static_cast<std::size_t>(size));
    if (n == 0) return AVERROR_EOF;
    std::memcpy(out, rest.data(), n);
    rest = rest.subspan(n);
    return static_cast<int>(n);
  }
};

/// Demuxes and decodes one byte stream.
class Reader {
 public:
  Reader(std::span<const std::uint8_t> bytes, const char* demuxer, Decoded& result)
      : input_{bytes}, result_{result} {
    format_ = avformat_alloc_context();
    io_ = avio_alloc_context(static_cast<unsigned char*>(av_malloc(4096)), 4096, 0, &input_,
                             Input::read, nullptr, nullptr);
    format_->pb = io_;
    if (avformat_open_input(&format_, nullptr, av_find_input_format(demuxer), nullptr) < 0) {
      throw std::runtime_error{"cannot open the stream"};
    }
    avformat_find_stream_info(format_, nullptr);
    read_service();
    for (unsigned i = 0; i < format_->nb_streams; ++i) open_decoder(*format_->streams[i]);
  }

  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  ~Reader() {
    for (auto* decoder : decoders_) avcodec_free_context(&decoder);
    avformat_close_input(&format_);
    av_freep(&io_->buffer);
    avio_context_free(&io_);
    av_packet_free(&packet_);
    av_frame_free(&frame_);
  }

  void run() {
    while (av_read_frame(format_, packet_) >= 0) {
      const auto index = static_cast<std::size_t>(packet_->stream_index);
      const bool video = decoders_[index]->codec_type == AVMEDIA_TYPE_VIDEO;
      if (video && (packet_->flags & AV_PKT_FLAG_KEY)) {
        result_.keyframes.push_back(result_.video_pts.size());
      }
      (video ? result_.video_pts : result_.audio_pts).push_back(packet_->pts);
      avcodec_send_packet(decoders_[index], packet_);
      receive(*decoders_[index]);
      av_packet_unref(packet_);
    }
    result_.tracks = format_->nb_streams;
    for (auto* decoder : decoders_) {
      avcodec_send_packet(decoder, nullptr);
      receive(*decoder);
    }
  }

 private:
  void read_service() {
    if (format_->nb_programs == 0) return;
    const auto* tag = av_dict_get(format_->programs[0]->metadata, "service_name", nullptr, 0);
    if (tag != nullptr) result_.service = tag->value;
  }

  void open_decoder(const AVStream& stream) {
    const auto* codec = avcodec_find_decoder(stream.codecpar->codec_id);
    auto* decoder = avcodec_alloc_context3(codec);
    avcodec_parameters_to_context(decoder, stream.codecpar);
    decoder->thread_count = 1;
    avcodec_open2(decoder, codec, nullptr);
    decoders_.push_back(decoder);
  }

  void receive(AVCodecContext& decoder) {
    while (avcodec_receive_frame(&decoder, frame_) >= 0) {
      if (decoder.codec_type == AVMEDIA_TYPE_VIDEO) {
        ++result_.pictures;
        continue;
      }
      ++result_.audio_frames;
      const auto* values = reinterpret_cast<const float*>(frame_->data[0]);
      result_.samples.insert(result_.samples.end(), values, values + frame_->nb_samples);
    }
  }

  Input input_;
  Decoded& result_;
  AVFormatContext* format_ = nullptr;
  AVIOContext* io_ = nullptr;
  AVPacket* packet_ = av_packet_alloc();
  AVFrame* frame_ = av_frame_alloc();
  std::vector<AVCodecContext*> decoders_;  // one per stream
};

}  // namespace

std::vector<TsPacket> parse_ts(std::span<const std::uint8_t> bytes) {
  if (bytes.size() % kPacketSize != 0) throw std::runtime_error{"not whole TS packets"};
  std::vector<TsPacket> packets;
  for (std::size_t i = 0; i < bytes.size(); i += kPacketSize) {
    packets.push_back(parse_packet(&bytes[i]));
  }
  return packets;
}

std::map<int, int> stream_types(std::span<const std::uint8_t> bytes) {
  constexpr std::size_t kHeader = 4;
  for (; bytes.size() >= kPacketSize; bytes = bytes.subspan(kPacketSize)) {
    if (parse_packet(bytes.data()).pid != TsMuxer::kPmtPid) continue;
    const auto* section = &bytes[kHeader] + 1 + bytes[kHeader];       // after the pointer_field
    const int end = 3 + ((section[1] & 0x0f) << 8 | section[2]) - 4;  // before the CRC
    std::map<int, int> types;
    for (int at = 12 + ((section[10] & 0x0f) << 8 | section[11]); at < end;) {
      types[(section[at + 1] & 0x1f) << 8 | section[at + 2]] = section[at];
      at += 5 + ((section[at + 3] & 0x0f) << 8 | section[at + 4]);
    }
    return types;
  }
  return {};
}

Decoded decode(std::span<const std::uint8_t> bytes, const char* demuxer) {
  Decoded result;
  listener = &result.messages;
  av_log_set_callback(listen);
  {
    Reader reader{bytes, demuxer, result};
    reader.run();
  }
  av_log_set_callback(av_log_default_callback);
  listener = nullptr;
  return result;
}

}  // namespace transcoder::test
