#include "transcoder/gst/decoder_threads.h"

#include <gst/gst.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/cpus.h"
#include "transcoder/gst/gst_handles.h"

namespace transcoder {

namespace {

// Measured with libavcodec 59 and GStreamer 1.22: H.264 of 3840x2160 takes 148 MB with one thread
// and 46 to 68 MB more with each further one, HEVC of 10 bits 290 MB and 73 to 90 MB.

/// Libraries, compressed data, and the stacks of tens of threads.
constexpr base::ByteCount kProcess{128 << 20};
/// Pictures that others refer to or that wait for their turn, and those after the decoder.
constexpr std::int64_t kPictures = 16;
constexpr std::int64_t kPicturesPerThread = 4;
/// As many as libavcodec takes by itself.
constexpr int kMostThreads = 16;

int number(const GstStructure* format, const char* field) {
  gint value = 0;
  if (gst_structure_get_int(format, field, &value) == TRUE) return value;
  guint positive = 0;
  return gst_structure_get_uint(format, field, &positive) == TRUE ? static_cast<int>(positive) : 0;
}

/// Of a decoded picture; 0 if the format does not say its size.
base::ByteCount picture_bytes(const GstStructure* format) {
  const char* const chroma = gst_structure_get_string(format, "chroma-format");
  const std::string_view samples = chroma != nullptr ? chroma : "";
  const double per_pixel = samples == "4:4:4" ? 3 : samples == "4:2:2" ? 2 : 1.5;
  const double bytes = number(format, "bit-depth-luma") > 8 ? 2 : 1;
  return base::ByteCount{static_cast<std::int64_t>(per_pixel * bytes * number(format, "width") *
                                                   number(format, "height"))};
}

GstPadProbeReturn on_event(GstPad* pad, GstPadProbeInfo* info, gpointer memory) {
  GstEvent* const event = GST_PAD_PROBE_INFO_EVENT(info);
  if (GST_EVENT_TYPE(event) != GST_EVENT_CAPS) return GST_PAD_PROBE_OK;
  GstCaps* caps = nullptr;
  gst_event_parse_caps(event, &caps);
  const auto threads =
      decoder_threads(picture_bytes(gst_caps_get_structure(caps, 0)),
                      *static_cast<const base::ByteCount*>(memory), base::cpu_threads());
  g_object_set(GST_PAD_PARENT(pad), "max-threads", threads, nullptr);
  return GST_PAD_PROBE_OK;
}

}  // namespace

int decoder_threads(base::ByteCount picture, base::ByteCount memory, int cpus) {
  if (picture.bytes() <= 0) return std::min(cpus, kMostThreads);
  const auto left = (memory - kProcess).bytes() / picture.bytes() - kPictures;
  const auto most = std::min(cpus, kMostThreads);
  return static_cast<int>(std::clamp<std::int64_t>(1 + left / kPicturesPerThread, 1, most));
}

void limit_threads(GstElement* element, base::ByteCount memory) {
  auto* const kind = G_OBJECT_GET_CLASS(element);
  if (g_object_class_find_property(kind, "max-threads") == nullptr) return;
  const PadHandle sink{gst_element_get_static_pad(element, "sink")};
  if (!sink) return;
  gst_pad_add_probe(sink.get(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_event,
                    new base::ByteCount{memory},
                    [](gpointer data) { delete static_cast<base::ByteCount*>(data); });
}

}  // namespace transcoder
