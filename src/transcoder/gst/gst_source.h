#pragma once

#include <memory>
#include <string>
#include <thread>

#include "transcoder/settings.h"
#include "transcoder/source.h"

namespace transcoder {

/// Plays everything that GStreamer can: `file:PATH` (in real time, in a loop), `gst:LAUNCH TEXT`,
/// and URIs. Calls the listener on one thread, in the order of time. Paces a source that can be
/// read faster than it plays; passes on a live one as it arrives.
class GstSource final : public Source {
 public:
  GstSource(const SourceSettings& source, const VideoSettings& limits);
  ~GstSource() override;

  void start(std::shared_ptr<Listener> listener) override;
  /// If GStreamer does not return in time, abandons its thread. With sixteen abandoned threads no
  /// source starts until one of them has ended.
  void stop() override;
  SourceReport report() const override;

 private:
  class Playback;
  const std::string name_;                    ///< for the log
  const std::shared_ptr<Playback> playback_;  // shared with the thread, which may outlive us
  std::thread thread_;
};

}  // namespace transcoder
