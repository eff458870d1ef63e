#include "transcoder/gst/file_end.h"

#include <gst/gst.h>

#include "transcoder/gst/gst_handles.h"

namespace transcoder {

namespace {

/// Consecutive reads at the end. Demuxers and typefinders try a few sizes and places there; one
/// that has not noticed the end makes 100,000 per second.
constexpr int kMaxReads = 1000;

/// Reading from one file; used by the thread that reads.
struct Reads {
  GstPadGetRangeFunction read;
  int at_end = 0;
};

GstFlowReturn on_read(GstPad* pad, GstObject* parent, guint64 offset, guint size,
                      GstBuffer** buffer) {
  auto& reads = *static_cast<Reads*>(pad->getrangedata);
  const auto result = reads.read(pad, parent, offset, size, buffer);
  reads.at_end = result == GST_FLOW_EOS ? reads.at_end + 1 : 0;
  return reads.at_end > kMaxReads ? GST_FLOW_ERROR : result;
}

}  // namespace

void end_file(GstElement* filesrc) {
  const PadHandle pad{gst_element_get_static_pad(filesrc, "src")};
  gst_pad_set_getrange_function_full(pad.get(), on_read, new Reads{GST_PAD_GETRANGEFUNC(pad.get())},
                                     [](gpointer data) { delete static_cast<Reads*>(data); });
}

}  // namespace transcoder
