#pragma once

#include <mutex>

#include "transcoder/gst/gst_types.h"

namespace transcoder {

/// Joins decoded tracks of one kind, one after another, into a pad of a bin. The pad does not end
/// with a track, because another one may follow. Thread-safe; lives as long as its bin.
class TrackFunnel {
 public:
  /// Adds a source pad `name` to `bin`. Throws std::runtime_error if an element is not installed.
  TrackFunnel(GstElement* bin, const char* name);

  /// A pad for a further track. The funnel owns it.
  GstPad* open();
  /// Releases such a pad, through which no more data flows.
  void close(GstPad* pad);

  /// How many pads have been opened so far.
  unsigned opened() const;
  /// Declares that no track follows those that `opened` counts. Does nothing if one has been opened
  /// since; open() revokes the end. Blocks until the data before it has been taken.
  void end(unsigned opened);
  bool ended() const;

 private:
  GstElement* const funnel_;  ///< owned by the bin
  GstPad* const out_;         ///< owned by the funnel

  mutable std::mutex mutex_;
  unsigned opened_ = 0;  // GUARDED_BY(mutex_)
  int ending_ = 0;       // GUARDED_BY(mutex_); threads in end()
};

}  // namespace transcoder
