#include "transcoder/gst/avi_times.h"

#include <gst/gst.h>

#include <optional>
#include <span>

#include "transcoder/gst/gst_element.h"
#include "transcoder/gst/gst_handles.h"
#include "transcoder/gst/reorder_delay.h"

namespace transcoder {

namespace {

enum class Format { kAudio, kMpeg4, kH264, kOther };

Format format_of(GstPad* pad) {
  const CapsHandle caps{gst_pad_get_current_caps(pad)};
  if (!caps) return Format::kOther;
  const GstStructure* const format = gst_caps_get_structure(caps.get(), 0);
  int version = 0;
  if (track_kind(pad) == TrackKind::kAudio) return Format::kAudio;
  if (gst_structure_has_name(format, "video/x-h264") != FALSE) return Format::kH264;
  const bool mpeg4 = gst_structure_has_name(format, "video/mpeg") != FALSE &&
                     gst_structure_get_int(format, "mpegversion", &version) != FALSE &&
                     version == 4;
  return mpeg4 ? Format::kMpeg4 : Format::kOther;
}

/// One track, at the pad of its demuxer.
class AviTrack {
 public:
  explicit AviTrack(Format format) : format_{format} {}

  GstBuffer* timed(GstBuffer* given) {
    GstBuffer* const buffer = gst_buffer_make_writable(given);
    const bool begins = GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DISCONT);
    if (begins) delay_ = delay_of(buffer);
    if (!delay_ || !GST_BUFFER_DTS_IS_VALID(buffer)) return buffer;
    GST_BUFFER_PTS(buffer) =
        begins || *delay_ == 0 ? GST_BUFFER_DTS(buffer) + *delay_ : GST_CLOCK_TIME_NONE;
    return buffer;
  }

 private:
  /// nullopt if it is not known.
  std::optional<GstClockTime> delay_of(GstBuffer* buffer) const {
    if (format_ == Format::kAudio) return 0;
    GstMapInfo map;
    if (!GST_BUFFER_DURATION_IS_VALID(buffer) || !gst_buffer_map(buffer, &map, GST_MAP_READ)) {
      return delay_;
    }
    const std::span<const std::uint8_t> bytes{map.data, map.size};
    const auto pictures =
        format_ == Format::kH264 ? h264_reorder_delay(bytes) : mpeg4_reorder_delay(bytes);
    gst_buffer_unmap(buffer, &map);
    if (!pictures) return delay_;
    return static_cast<GstClockTime>(*pictures) * GST_BUFFER_DURATION(buffer);
  }

  const Format format_;
  std::optional<GstClockTime> delay_;
};

GstPadProbeReturn on_data(GstPad*, GstPadProbeInfo* info, gpointer data) {
  info->data = static_cast<AviTrack*>(data)->timed(GST_PAD_PROBE_INFO_BUFFER(info));
  return GST_PAD_PROBE_OK;
}

}  // namespace

void set_avi_times(GstPad* pad) {
  const ElementHandle demuxer{gst_pad_get_parent_element(pad)};
  if (!demuxer || !is_a(demuxer.get(), "avidemux")) return;
  const auto format = format_of(pad);
  if (format == Format::kOther) return;
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, on_data, new AviTrack{format},
                    [](gpointer data) { delete static_cast<AviTrack*>(data); });
}

}  // namespace transcoder
