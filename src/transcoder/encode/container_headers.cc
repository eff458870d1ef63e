#include "transcoder/encode/container_headers.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
}

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "media/h264.h"
#include "media/mp4.h"
#include "transcoder/encode/aac_config.h"
#include "transcoder/encode/libav_log.h"

namespace transcoder {

namespace {

// nal_unit_type (ITU-T H.264, table 7-1).
constexpr std::uint8_t kNalTypeMask = 0x1f;
constexpr std::uint8_t kNalTypeSps = 7;
constexpr std::uint8_t kNalTypePps = 8;

/// Frees a muxer together with its output, which is a memory buffer because FLV's muxer seeks back
/// to fill in a size.
struct FreeFormatAndBuffer {
  void operator()(AVFormatContext* format) const {
    if (format->pb != nullptr) {
      std::uint8_t* bytes = nullptr;
      avio_close_dyn_buf(format->pb, &bytes);
      av_free(bytes);
    }
    avformat_free_context(format);
  }
};
using Format = std::unique_ptr<AVFormatContext, FreeFormatAndBuffer>;

Format open(const char* name) {
  capture_libav_log();
  AVFormatContext* format = nullptr;
  if (avformat_alloc_output_context2(&format, nullptr, name, nullptr) < 0) {
    throw std::runtime_error{"libavformat has no muxer \"" + std::string{name} +
                             "\"; install FFmpeg with one"};
  }
  Format result{format};
  if (avio_open_dyn_buf(&format->pb) < 0) throw std::bad_alloc{};
  format->flags |= AVFMT_FLAG_BITEXACT;  // leaves out the library's name
  return result;
}

AVCodecParameters& add_track(AVFormatContext& format, AVMediaType type, AVCodecID codec,
                             std::span<const std::uint8_t> config) {
  AVStream* track = avformat_new_stream(&format, nullptr);
  if (track == nullptr) throw std::bad_alloc{};
  auto& parameters = *track->codecpar;
  parameters.codec_type = type;
  parameters.codec_id = codec;
  parameters.extradata =
      static_cast<std::uint8_t*>(av_mallocz(config.size() + AV_INPUT_BUFFER_PADDING_SIZE));
  if (parameters.extradata == nullptr) throw std::bad_alloc{};
  std::ranges::copy(config, parameters.extradata);
  parameters.extradata_size = static_cast<int>(config.size());
  return parameters;
}

void add_video(AVFormatContext& format, std::span<const std::uint8_t> parameter_sets,
               const media::PictureFormat& picture) {
  auto& video = add_track(format, AVMEDIA_TYPE_VIDEO, AV_CODEC_ID_H264, parameter_sets);
  video.width = picture.width;
  video.height = picture.height;
  video.sample_aspect_ratio = {picture.sar_num, picture.sar_den};
  // The code points of ISO/IEC 23091-2, as in libavutil.
  video.color_primaries = static_cast<AVColorPrimaries>(picture.colour.primaries);
  video.color_trc = static_cast<AVColorTransferCharacteristic>(picture.colour.transfer);
  video.color_space = static_cast<AVColorSpace>(picture.colour.matrix);
  video.color_range = picture.colour.full_range ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
  format.streams[0]->sample_aspect_ratio = video.sample_aspect_ratio;
  format.streams[0]->time_base = {1, static_cast<int>(media::kMp4VideoTimescale)};
}

void add_audio(AVFormatContext& format) {
  auto& audio = add_track(format, AVMEDIA_TYPE_AUDIO, AV_CODEC_ID_AAC, kAacConfig);
  audio.sample_rate = media::kAudioRate;
  audio.frame_size = kAacFrameSamples;
  audio.profile = FF_PROFILE_AAC_LOW;
  av_channel_layout_default(&audio.ch_layout, media::kAudioChannels);
  format.streams[format.nb_streams - 1]->time_base = {1,
                                                      static_cast<int>(media::kMp4AudioTimescale)};
}

std::vector<std::uint8_t> write_header(Format format, AVDictionary* options) {
  const int result = avformat_write_header(format.get(), &options);
  av_dict_free(&options);
  if (result < 0)
    throw std::runtime_error{std::string{format->oformat->name} + " muxer: " + libav_error(result)};
  std::uint8_t* bytes = nullptr;
  const int size = avio_close_dyn_buf(format->pb, &bytes);
  format->pb = nullptr;
  std::vector<std::uint8_t> out(bytes, bytes + size);
  av_free(bytes);
  return out;
}

std::vector<std::uint8_t> flv_header(std::span<const std::uint8_t> parameter_sets,
                                     const media::PictureFormat& picture, bool audio) {
  Format format = open("flv");
  add_video(*format, parameter_sets, picture);
  if (audio) add_audio(*format);
  AVDictionary* options = nullptr;
  av_dict_set(&options, "flvflags", "no_duration_filesize", 0);
  return write_header(std::move(format), options);
}

std::vector<std::uint8_t> mp4_header(Format format) {
  AVDictionary* options = nullptr;
  av_dict_set(&options, "movflags", "empty_moov+default_base_moof+cmaf", 0);
  return write_header(std::move(format), options);
}

Format mp4_video(std::span<const std::uint8_t> parameter_sets,
                 const media::PictureFormat& picture) {
  Format format = open("mp4");
  add_video(*format, parameter_sets, picture);
  // avc3: parameter sets are in the frames and may change there (ISO/IEC 14496-15, 5.3.3.1).
  format->streams[0]->codecpar->codec_tag = MKTAG('a', 'v', 'c', '3');
  return format;
}

Format with_audio(Format format) {
  add_audio(*format);
  return format;
}

/// The parameter sets of a keyframe, each with a start code.
std::vector<std::uint8_t> parameter_sets_of(std::span<const std::uint8_t> keyframe) {
  std::vector<std::uint8_t> sets;
  for (const auto unit : media::h264::nal_units(keyframe)) {
    const int type = unit[0] & kNalTypeMask;
    if (type != kNalTypeSps && type != kNalTypePps) continue;
    sets.insert(sets.end(), {0, 0, 0, 1});
    sets.insert(sets.end(), unit.begin(), unit.end());
  }
  return sets;
}

/// The codecs parameter of RFC 6381, 3.3: profile, constraints and level from the sequence
/// parameter set.
std::string codec_name(std::span<const std::uint8_t> parameter_sets) {
  const auto units = media::h264::nal_units(parameter_sets);
  if (units.empty() || units[0].size() < 4) {
    throw std::runtime_error{"the H.264 keyframe has no sequence parameter set"};
  }
  return fmt::format("avc3.{:02x}{:02x}{:02x}", units[0][1], units[0][2], units[0][3]);
}

}  // namespace

media::HeadersPtr ContainerHeaders::update(std::span<const std::uint8_t> keyframe,
                                           const media::PictureFormat& format) {
  auto sets = parameter_sets_of(keyframe);
  if (headers_ && sets == parameter_sets_ && format == format_) return headers_;
  media::Headers headers{.codec = codec_name(sets),
                         .flv = flv_header(sets, format, audio_),
                         .mp4 = {},
                         .mp4_video = mp4_header(mp4_video(sets, format)),
                         .mp4_audio = {},
                         .format = format};
  headers.mp4 = headers.mp4_video;
  if (audio_) {
    headers.mp4 = mp4_header(with_audio(mp4_video(sets, format)));
    headers.mp4_audio = mp4_header(with_audio(open("mp4")));
  }
  headers_ = std::make_shared<const media::Headers>(std::move(headers));
  parameter_sets_ = std::move(sets);
  format_ = format;
  return headers_;
}

}  // namespace transcoder
