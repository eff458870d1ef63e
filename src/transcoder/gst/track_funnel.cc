#include "transcoder/gst/track_funnel.h"

#include <gst/gst.h>

#include "transcoder/gst/gst_element.h"
#include "transcoder/gst/gst_handles.h"

namespace transcoder {

TrackFunnel::TrackFunnel(GstElement* bin, const char* name)
    : funnel_{make_element("funnel")}, out_{GST_PAD(funnel_->srcpads->data)} {
  gst_bin_add(GST_BIN(bin), funnel_);
  gst_element_add_pad(bin, gst_ghost_pad_new(name, out_));
  // Never ends, so that GStreamer's funnel does not end when the tracks so far have ended.
  const PadHandle unused{gst_element_request_pad_simple(funnel_, "sink_%u")};
}

GstPad* TrackFunnel::open() {
  bool over;
  {
    std::lock_guard lock{mutex_};
    ++opened_;
    over = ending_ > 0 || ended();
  }
  if (over) {  // the sink would take no more
    gst_pad_push_event(out_, gst_event_new_flush_start());
    GST_PAD_STREAM_LOCK(out_);  // waits for a thread in end(), which the flush stops
    gst_pad_push_event(out_, gst_event_new_flush_stop(FALSE));
    GST_PAD_STREAM_UNLOCK(out_);
  }
  // The bin may start its source before its funnels, which nothing links with each other.
  gst_element_sync_state_with_parent(funnel_);
  GstPad* const pad = gst_element_request_pad_simple(funnel_, "sink_%u");
  gst_object_unref(pad);  // the funnel keeps it
  return pad;
}

void TrackFunnel::close(GstPad* pad) { gst_element_release_request_pad(funnel_, pad); }

unsigned TrackFunnel::opened() const {
  std::lock_guard lock{mutex_};
  return opened_;
}

void TrackFunnel::end(unsigned opened) {
  {
    std::lock_guard lock{mutex_};
    if (opened != opened_) return;
    ++ending_;
  }
  GST_PAD_STREAM_LOCK(out_);  // as the funnel does: no data of a track pass meanwhile
  if (this->opened() == opened) gst_pad_push_event(out_, gst_event_new_eos());
  GST_PAD_STREAM_UNLOCK(out_);
  std::lock_guard lock{mutex_};
  --ending_;
}

bool TrackFunnel::ended() const { return GST_PAD_IS_EOS(out_); }

}  // namespace transcoder
