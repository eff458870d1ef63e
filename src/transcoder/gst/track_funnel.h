#pragma once

#include <mutex>

#include "transcoder/gst/gst_types.h"

namespace transcoder {

/// Joins decoded tracks of one kind, one after another, into a pad of a bin. The end of a track is
/// not the end of the pad: another one may follow. Thread-safe; lives as long as its bin.
class TrackFunnel {
 public:
  /// Adds a source pad `name` to `bin`. Throws std::runtime_error if an element is not installed.
  TrackFunnel(GstElement* bin, const char* name);

  /// A pad that takes another track. The funnel owns it.
  GstPad* open();
  /// Gives such a pad back. Nothing flows through it any more.
  void close(GstPad* pad);

  /// How many pads have been opened so far.
  unsigned opened() const;
  /// Says that no track follows those that `opened` counts. Does nothing if one has been opened
  /// since; open() takes the end back. Blocks until the data before it are taken.
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
