#include "transcoder/gst/input_times.h"

#include <gst/gst.h>

#include "transcoder/gst/gst_handles.h"

namespace transcoder {

namespace {

/// The time of the newest data; both pads of the decoder have one streaming thread.
using Newest = GstClockTime;

constexpr const char* kNewestKey = "symcast-newest-input";

GstPadProbeReturn on_input(GstPad*, GstPadProbeInfo* info, gpointer newest) {
  *static_cast<Newest*>(newest) = GST_BUFFER_PTS(GST_PAD_PROBE_INFO_BUFFER(info));
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn on_output(GstPad*, GstPadProbeInfo* info, gpointer newest) {
  GstBuffer* const picture = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
  GST_BUFFER_PTS(picture) = *static_cast<Newest*>(newest);
  info->data = picture;
  return GST_PAD_PROBE_OK;
}

}  // namespace

void keep_input_times(GstElement* decoder) {
  auto* const newest = new Newest{GST_CLOCK_TIME_NONE};
  g_object_set_data_full(G_OBJECT(decoder), kNewestKey, newest,
                         [](gpointer data) { delete static_cast<Newest*>(data); });
  const PadHandle sink{gst_element_get_static_pad(decoder, "sink")};
  const PadHandle src{gst_element_get_static_pad(decoder, "src")};
  gst_pad_add_probe(sink.get(), GST_PAD_PROBE_TYPE_BUFFER, on_input, newest, nullptr);
  gst_pad_add_probe(src.get(), GST_PAD_PROBE_TYPE_BUFFER, on_output, newest, nullptr);
}

}  // namespace transcoder
