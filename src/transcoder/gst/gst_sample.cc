#include "transcoder/gst/gst_sample.h"

#include <gst/audio/audio.h>
#include <gst/gst.h>
#include <gst/video/video.h>

#include <cstring>
#include <memory>

#include "transcoder/time/source_time.h"

namespace transcoder {

namespace {

/// A picture's memory, mapped for reading. Holds a reference to the buffer.
class MappedPicture {
 public:
  MappedPicture(GstVideoInfo info, GstBuffer* buffer)
      : mapped_{gst_video_frame_map(&frame_, &info, buffer, GST_MAP_READ) == TRUE} {}
  MappedPicture(const MappedPicture&) = delete;
  MappedPicture& operator=(const MappedPicture&) = delete;
  ~MappedPicture() {
    if (mapped_) gst_video_frame_unmap(&frame_);
  }

  explicit operator bool() const { return mapped_; }
  const GstVideoFrame& get() const { return frame_; }

 private:
  GstVideoFrame frame_{};
  const bool mapped_;
};

}  // namespace

media::Colour as_colour(const GstVideoInfo& info) {
  const auto& c = info.colorimetry;
  return {.primaries = static_cast<int>(gst_video_color_primaries_to_iso(c.primaries)),
          .transfer = static_cast<int>(gst_video_transfer_function_to_iso(c.transfer)),
          .matrix = static_cast<int>(gst_video_color_matrix_to_iso(c.matrix)),
          .full_range = c.range == GST_VIDEO_COLOR_RANGE_0_255};
}

namespace {

media::PictureFormat picture_format(const GstVideoInfo& info) {
  return {.width = GST_VIDEO_INFO_WIDTH(&info) / 2 * 2,
          .height = GST_VIDEO_INFO_HEIGHT(&info) / 2 * 2,
          .sar_num = GST_VIDEO_INFO_PAR_N(&info),
          .sar_den = GST_VIDEO_INFO_PAR_D(&info),
          .colour = as_colour(info)};
}

bool read_info(GstSample* sample, GstVideoInfo& info) {
  GstCaps* const caps = gst_sample_get_caps(sample);
  return caps != nullptr && gst_video_info_from_caps(&info, caps) &&
         (GST_VIDEO_INFO_FORMAT(&info) == GST_VIDEO_FORMAT_I420 ||
          GST_VIDEO_INFO_FORMAT(&info) == GST_VIDEO_FORMAT_I420_10LE);
}

/// The peak of the display on which the pictures were graded, in cd/m² (SMPTE ST 2086).
double peak_luminance(GstSample* sample) {
  constexpr double kUnitsPerNit = 10'000;
  GstVideoMasteringDisplayInfo display;
  if (!gst_video_mastering_display_info_from_caps(&display, gst_sample_get_caps(sample)) ||
      display.max_display_mastering_luminance == 0) {
    return kNominalPeak;
  }
  return display.max_display_mastering_luminance / kUnitsPerNit;
}

const std::uint8_t* plane(const GstVideoFrame& frame, std::size_t i) {
  return static_cast<const std::uint8_t*>(GST_VIDEO_FRAME_PLANE_DATA(&frame, i));
}

}  // namespace

std::optional<media::Frame> as_frame(GstSample* sample, ToneMap& tone_map) {
  GstVideoInfo info;
  GstBuffer* const buffer = gst_sample_get_buffer(sample);
  if (buffer == nullptr || !read_info(sample, info)) return std::nullopt;
  const auto picture = std::make_shared<MappedPicture>(info, buffer);
  media::Frame frame{.format = picture_format(info)};
  if (!*picture || frame.format.width == 0 || frame.format.height == 0) return std::nullopt;
  const auto& mapped = picture->get();
  if (GST_VIDEO_INFO_FORMAT(&info) == GST_VIDEO_FORMAT_I420_10LE) {
    return tone_map.convert(
        {.format = frame.format,
         .plane = {plane(mapped, 0), plane(mapped, 1), plane(mapped, 2)},
         .stride = {mapped.info.stride[0], mapped.info.stride[1], mapped.info.stride[2]},
         .peak = peak_luminance(sample)});
  }
  for (std::size_t i = 0; i < frame.plane.size(); ++i) {
    frame.plane[i] = plane(mapped, i);
    frame.stride[i] = GST_VIDEO_FRAME_PLANE_STRIDE(&mapped, i);
  }
  frame.memory = picture;
  return frame;
}

std::optional<media::Samples> as_samples(GstSample* sample) {
  GstBuffer* const buffer = gst_sample_get_buffer(sample);
  GstMapInfo map;
  if (buffer == nullptr || !gst_buffer_map(buffer, &map, GST_MAP_READ)) return std::nullopt;
  const std::size_t whole = map.size / (sizeof(float) * media::kAudioChannels);
  media::Samples samples;
  samples.values.resize(whole * media::kAudioChannels);
  if (whole > 0)
    std::memcpy(samples.values.data(), map.data, samples.values.size() * sizeof(float));
  gst_buffer_unmap(buffer, &map);
  return samples;
}

std::optional<base::Duration> running_time(GstSample* sample) {
  const GstSegment* const segment = gst_sample_get_segment(sample);
  GstBuffer* const buffer = gst_sample_get_buffer(sample);
  if (segment == nullptr || buffer == nullptr || segment->format != GST_FORMAT_TIME ||
      !GST_BUFFER_PTS_IS_VALID(buffer)) {
    return std::nullopt;
  }
  guint64 time = 0;
  const int sign =
      gst_segment_to_running_time_full(segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer), &time);
  if (sign == 0) return std::nullopt;
  return source_time(sign, time);
}

std::optional<base::Duration> nominal_interval(GstSample* sample) {
  GstVideoInfo info;
  if (!read_info(sample, info)) return std::nullopt;
  if (GST_VIDEO_INFO_FPS_N(&info) <= 0 || GST_VIDEO_INFO_FPS_D(&info) <= 0) return std::nullopt;
  return base::from_seconds(static_cast<double>(GST_VIDEO_INFO_FPS_D(&info)) /
                            GST_VIDEO_INFO_FPS_N(&info));
}

}  // namespace transcoder
