#include "transcoder/gst/track_funnel.h"

#include <gst/gst.h>

#include "transcoder/gst/gst_element.h"
#include "transcoder/gst/handle.h"

namespace transcoder {

namespace {

using PadHandle = Handle<GstPad, gst_object_unref>;

}  // namespace

TrackFunnel::TrackFunnel(GstElement* bin, const char* name) : funnel_{make_element("funnel")} {
  gst_bin_add(GST_BIN(bin), funnel_);
  const PadHandle out{gst_element_get_static_pad(funnel_, "src")};
  gst_element_add_pad(bin, gst_ghost_pad_new(name, out.get()));
  // Never ends, so that GStreamer's funnel does not end when the tracks so far have ended.
  const PadHandle unused{gst_element_request_pad_simple(funnel_, "sink_%u")};
}

GstPad* TrackFunnel::open() {
  const PadHandle out{gst_element_get_static_pad(funnel_, "src")};
  if (GST_PAD_IS_EOS(out.get())) {  // the sink would take no more
    gst_pad_push_event(out.get(), gst_event_new_flush_start());
    gst_pad_push_event(out.get(), gst_event_new_flush_stop(FALSE));
  }
  GstPad* const pad = gst_element_request_pad_simple(funnel_, "sink_%u");
  gst_object_unref(pad);  // the funnel keeps it
  return pad;
}

void TrackFunnel::close(GstPad* pad) { gst_element_release_request_pad(funnel_, pad); }

void TrackFunnel::end() {
  const PadHandle out{gst_element_get_static_pad(funnel_, "src")};
  GST_PAD_STREAM_LOCK(out.get());  // as the funnel does: no data of a track pass meanwhile
  gst_pad_push_event(out.get(), gst_event_new_eos());
  GST_PAD_STREAM_UNLOCK(out.get());
}

}  // namespace transcoder
