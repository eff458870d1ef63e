#pragma once

#include <memory>
#include <string>
#include <thread>

#include "transcoder/settings.h"
#include "transcoder/source.h"

namespace transcoder {

/// Everything that GStreamer plays: `file:PATH` (in real time, again and again), `gst:LAUNCH TEXT`,
/// and URIs. Pictures and audio are called out on one thread, in order of their times; a source
/// that can be read faster than it plays is paced, a live one is passed on as it comes.
class GstSource final : public Source {
 public:
  GstSource(const SourceSettings& source, const VideoSettings& limits);
  ~GstSource() override;

  void start(std::shared_ptr<Listener> listener) override;
  /// When GStreamer does not let go in time, its thread is left to itself: sixteen times, then no
  /// source is started until one of them has ended.
  void stop() override;

 private:
  class Session;
  const std::string name_;                  ///< for the log
  const std::shared_ptr<Session> session_;  // shared with the thread, which may outlive us
  std::thread thread_;
};

}  // namespace transcoder
