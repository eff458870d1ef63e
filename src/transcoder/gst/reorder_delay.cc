#include "transcoder/gst/reorder_delay.h"

#include <gst/gst.h>

#include <cstddef>
#include <string_view>

#include "transcoder/gst/gst_element.h"
#include "transcoder/gst/handle.h"

namespace transcoder {

namespace {

using ElementHandle = Handle<GstElement, gst_object_unref>;
using CapsHandle = Handle<GstCaps, gst_caps_unref>;

/// Reads bits; 0 beyond the end.
class Bits {
 public:
  explicit Bits(std::span<const std::uint8_t> bytes) : bytes_{bytes} {}

  int take(int count) {
    int result = 0;
    for (; count > 0; --count, ++at_) {
      const auto byte = at_ / 8 < bytes_.size() ? bytes_[at_ / 8] : 0;
      result = result << 1 | (byte >> (7 - at_ % 8) & 1);
    }
    return result;
  }

 private:
  const std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

/// `low_delay` is 0 if there may be B pictures.
bool layer_may_reorder(Bits layer) {
  constexpr int kExtendedAspect = 15;
  layer.take(1 + 8);                          // random access, object type
  if (layer.take(1) != 0) layer.take(4 + 3);  // version and priority
  if (layer.take(4) == kExtendedAspect) layer.take(8 + 8);
  if (layer.take(1) == 0) return false;  // no vol_control_parameters
  layer.take(2);                         // chroma format
  return layer.take(1) == 0;
}

class PictureOrder {
 public:
  GstBuffer* ordered(GstBuffer* given) {
    GstBuffer* const buffer = gst_buffer_make_writable(given);
    const bool begins = GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DISCONT);
    if (begins) delay_ = delay_of(buffer);
    if (delay_ > 0) {
      GST_BUFFER_PTS(buffer) = begins && GST_BUFFER_DTS_IS_VALID(buffer)
                                   ? GST_BUFFER_DTS(buffer) + delay_
                                   : GST_CLOCK_TIME_NONE;
    }
    return buffer;
  }

 private:
  GstClockTime delay_of(GstBuffer* buffer) const {
    GstMapInfo map;
    if (!GST_BUFFER_DURATION_IS_VALID(buffer) || !gst_buffer_map(buffer, &map, GST_MAP_READ)) {
      return delay_;
    }
    const bool reorders = may_reorder(std::span<const std::uint8_t>{map.data, map.size});
    gst_buffer_unmap(buffer, &map);
    return reorders ? GST_BUFFER_DURATION(buffer) : delay_;
  }

  GstClockTime delay_ = 0;  ///< one picture, or none without B pictures
};

GstPadProbeReturn on_picture(GstPad*, GstPadProbeInfo* info, gpointer data) {
  info->data = static_cast<PictureOrder*>(data)->ordered(GST_PAD_PROBE_INFO_BUFFER(info));
  return GST_PAD_PROBE_OK;
}

bool is_mpeg4(GstPad* pad) {
  const CapsHandle caps{gst_pad_get_current_caps(pad)};
  if (!caps) return false;
  const GstStructure* const format = gst_caps_get_structure(caps.get(), 0);
  int version = 0;
  return gst_structure_has_name(format, "video/mpeg") != FALSE &&
         gst_structure_get_int(format, "mpegversion", &version) != FALSE && version == 4;
}

}  // namespace

bool may_reorder(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view kPrefix{"\0\0\1", 3};
  constexpr std::uint8_t kFirstLayer = 0x20;
  constexpr std::uint8_t kLastLayer = 0x2f;
  const std::string_view text{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  for (auto at = text.find(kPrefix); at != text.npos && at + 4 < text.size();
       at = text.find(kPrefix, at + 1)) {
    const auto code = bytes[at + 3];
    if (code >= kFirstLayer && code <= kLastLayer) {
      return layer_may_reorder(Bits{bytes.subspan(at + 4)});
    }
  }
  return false;
}

void order_pictures(GstPad* pad) {
  const ElementHandle demuxer{gst_pad_get_parent_element(pad)};
  if (!demuxer || !is_a(demuxer.get(), "avidemux") || !is_mpeg4(pad)) return;
  gst_pad_add_probe(
      pad,
      static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM),
      on_picture, new PictureOrder, [](gpointer data) { delete static_cast<PictureOrder*>(data); });
}

}  // namespace transcoder
