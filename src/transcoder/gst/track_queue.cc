#include "transcoder/gst/track_queue.h"

#include <gst/gst.h>

#include <string>
#include <utility>

#include "transcoder/gst/gst_element.h"
#include "transcoder/gst/gst_handles.h"

namespace transcoder {

namespace {

/// All lanes together: 8 s of 10 Mbit/s.
constexpr guint kMaxBytes = 10 << 20;

/// A lane's frames, for senders that do not wait, so that a burst fits (LivePacer): 10 s of 60 per
/// second. Of others GStreamer's 5 are enough.
constexpr guint kMaxDatagramFrames = 600;

PadHandle out_of(GstElement* queue, GstPad* in) {
  const std::string number{GST_OBJECT_NAME(in) + std::string{"sink_"}.size()};
  return PadHandle{gst_element_get_static_pad(queue, ("src_" + number).c_str())};
}

}  // namespace

TrackQueue::TrackQueue(GstElement* bin, bool datagrams)
    : queue_{GST_ELEMENT(gst_object_ref_sink(make_element("multiqueue")))} {
  g_object_set(queue_, "max-size-bytes", kMaxBytes, "max-size-time", guint64{0}, nullptr);
  if (datagrams) g_object_set(queue_, "max-size-buffers", kMaxDatagramFrames, nullptr);
  gst_bin_add(GST_BIN(bin), queue_);
  gst_element_sync_state_with_parent(queue_);
}

TrackQueue::~TrackQueue() {
  remove_element(queue_);
  gst_object_unref(queue_);
}

TrackLane::TrackLane(std::shared_ptr<TrackQueue> queue)
    : queue_{std::move(queue)},
      in_{gst_element_request_pad_simple(queue_->queue_, "sink_%u")},
      out_{out_of(queue_->queue_, in_.get())} {}

TrackLane::~TrackLane() { gst_element_release_request_pad(queue_->queue_, in_.get()); }

}  // namespace transcoder
