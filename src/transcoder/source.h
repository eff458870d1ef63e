#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "media/frame.h"

namespace transcoder {

/// One connection to a live source, from start() to its end or stop(): decodes, paces, and tells
/// its listener. It does not reconnect; Ingest makes a new one.
class Source {
 public:
  /// Called on one thread of the source at a time; a call must return within a frame's time.
  class Listener {
   public:
    virtual ~Listener() = default;
    /// `pts` is on the source's own clock, `number` is unset; within VideoSettings' size limits.
    virtual void on_picture(media::Frame picture) = 0;
    /// `pts` is on the same clock.
    virtual void on_audio(media::Samples samples, base::Time captured) = 0;
    /// The source's own timestamps leave a gap: no picture is due before `until`.
    virtual void on_gap(base::Time until) = 0;
    /// So many pictures and audio frames came whose memory cannot be read, or that are too small.
    virtual void on_unreadable(std::uint64_t count) = 0;
    /// The last call: it ended or failed, and why, in one line.
    virtual void on_end(std::string reason) = 0;
  };

  virtual ~Source() = default;
  /// Once. Throws std::system_error when there is no thread to be had; everything that goes wrong
  /// afterwards is told by on_end.
  virtual void start(std::shared_ptr<Listener> listener) = 0;
  /// Returns within 0.8 s, whatever the source does; the listener is not called afterwards.
  virtual void stop() = 0;
};

}  // namespace transcoder
