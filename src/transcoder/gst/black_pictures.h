#pragma once

#include <memory>
#include <optional>

#include "media/frame.h"
#include "transcoder/settings.h"

namespace transcoder {

/// Makes black pictures for a source that sends only audio: 25 per second of the audio's time. No
/// I/O, no clock.
class BlackPictures {
 public:
  explicit BlackPictures(const VideoSettings& limits);

  /// Audio has arrived by `now`, but no pictures. Returns whether black pictures replace them from
  /// now on: after kPatience, or at once if the source is `complete`.
  bool start(base::Time now, bool complete);
  bool started() const { return started_; }
  /// Pictures have arrived.
  void stop() { *this = BlackPictures{limits_}; }
  /// The audio starts again.
  void rewind() { next_.reset(); }

  /// The next picture, if it is due before the audio at `audio`.
  std::optional<media::Frame> next(base::Duration audio);

  /// Pictures may begin later than audio: muxers put them up to one second apart, and encoders put
  /// two seconds between keyframes. A longer time would delay audio-only sources further.
  static constexpr base::Duration kPatience = std::chrono::seconds{3};

 private:
  VideoSettings limits_;
  std::optional<base::Time> since_;
  bool started_ = false;
  std::optional<base::Duration> next_;
  std::optional<media::Frame> picture_;
};

}  // namespace transcoder
