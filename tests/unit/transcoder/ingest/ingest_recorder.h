#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "transcoder/ingest/ingest.h"

namespace transcoder::test {

struct SeenPicture {
  std::uint64_t number = 0;
  media::Pts pts{};
  base::Time captured{};
  base::Time arrived{};
  media::PictureFormat format;
  int brightness = 0;  ///< mean luma of the middle of the picture
  int bottom = 0;      ///< mean luma of its last row
};

struct HeardAudio {
  media::Pts pts{};
  base::Duration length{};
  float left = 0;   ///< loudest sample
  float right = 0;  ///< loudest sample
};

/// The number of pictures before the first that came kRepeatInterval after the one before it,
/// because the machine paused. It may be a repeat: then a file or the test source plays on, from
/// the present after a pause of a second.
std::size_t undisturbed(const std::vector<SeenPicture>& pictures);

/// An Ingest that records everything it delivers. Thread-safe.
class IngestRecorder {
 public:
  explicit IngestRecorder(const std::string& uri, SourceSettings source = {},
                          VideoSettings video = {});

  void start() { ingest_.start(); }
  void stop() { ingest_.stop(); }
  Ingest::State state() const { return ingest_.state(); }

  std::vector<SeenPicture> pictures() const;
  std::vector<HeardAudio> audio_frames() const;

  /// Waits until `condition` holds for the state; returns false after `timeout`.
  bool wait(const std::function<bool(const Ingest::State&)>& condition,
            base::Duration timeout = std::chrono::seconds{60}) const;

 private:
  void on_picture(const media::Frame& frame);
  void on_audio(const media::Samples& samples);

  mutable std::mutex mutex_;
  std::vector<SeenPicture> pictures_;     // GUARDED_BY(mutex_)
  std::vector<HeardAudio> audio_frames_;  // GUARDED_BY(mutex_)
  MediaClock media_clock_;
  Ingest ingest_;
};

}  // namespace transcoder::test
