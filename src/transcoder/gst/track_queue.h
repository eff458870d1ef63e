#pragma once

#include <memory>

#include "transcoder/gst/demuxer.h"
#include "transcoder/gst/gst_handles.h"
#include "transcoder/gst/gst_types.h"

namespace transcoder {

/// The queue behind a demuxer. Each decoded track has a lane in it, with a thread that takes the
/// data out. A full lane grows while another one is empty, because muxers may place data with equal
/// timestamps far apart.
class TrackQueue {
 public:
  /// Adds the queue to `bin`. `datagrams` says that the sender does not wait. Throws
  /// std::runtime_error if an element is not installed.
  TrackQueue(GstElement* bin, bool datagrams);
  TrackQueue(const TrackQueue&) = delete;
  TrackQueue& operator=(const TrackQueue&) = delete;
  /// Removes the queue from the bin, if that still exists.
  ~TrackQueue();

 private:
  friend class TrackLane;
  GstElement* const queue_;
};

/// The lane of one track in a queue, which exists as long as it has lanes.
class TrackLane {
 public:
  explicit TrackLane(std::shared_ptr<TrackQueue> queue);
  TrackLane(const TrackLane&) = delete;
  TrackLane& operator=(const TrackLane&) = delete;
  /// Blocks until the thread has stopped.
  ~TrackLane();

  GstPad* in() const { return in_.get(); }
  GstPad* out() const { return out_.get(); }

 private:
  const std::shared_ptr<TrackQueue> queue_;
  const PadHandle in_;
  const PadHandle out_;
};

}  // namespace transcoder
