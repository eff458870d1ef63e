#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include "transcoder/settings.h"
#include "transcoder/source.h"

namespace transcoder {

/// Plays everything that GStreamer can: `file:PATH` (in real time, in a loop), `gst:LAUNCH TEXT`,
/// and URIs. Calls the listener on one thread, in the order of time. Paces a source that can be
/// read faster than it plays; passes on a live one as it arrives.
class GstSource final : public Source {
 public:
  /// Copies a picture to where it waits for its time, and stays for its receiver; nullopt drops it.
  using Keep = std::function<std::optional<media::Frame>(const media::Frame& picture)>;

  /// Without `keep` pictures stay in the decoder's memory.
  GstSource(const SourceSettings& source, const VideoSettings& limits, Keep keep = {});
  ~GstSource() override;

  void start(std::shared_ptr<Listener> listener) override;
  /// Waits for GStreamer, which may hang: see ProcessSource.
  void stop() override;
  SourceReport report() const override;

 private:
  class Playback;
  const std::unique_ptr<Playback> playback_;
  std::thread thread_;
};

}  // namespace transcoder
