#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/units.h"
#include "media/frame.h"
#include "transcoder/settings.h"
#include "transcoder/source.h"
#include "transcoder/time/media_clock.h"

namespace transcoder {

/// Keeps one live source running: connects, paces, reconnects with back-off, and maps everything to
/// the stream's timeline. While the source is down it repeats the last picture, so that players
/// stay connected. Pictures are progressive I420 within VideoSettings' limits, with strictly
/// increasing pts and number. Audio samples may have gaps or overlaps, which AudioTrack removes.
class Ingest {
 public:
  /// Called by one thread at a time, of the source or of the ingest; a call must return within a
  /// frame interval.
  struct Sink {
    std::function<void(media::FramePtr)> frame;
    std::function<void(media::Samples)> samples;
  };

  enum class Status {
    kConnecting,
    kPlaying,
    kStalled,  ///< connected, but no picture arrives
    kWaiting,  ///< before the next attempt
  };

  struct State {
    Status status = Status::kConnecting;
    std::string last_error;                          ///< empty before the first error
    std::optional<base::Time> last_picture;          ///< when it was captured; not of repeats
    std::optional<base::Time> away_since;            ///< from then on it has not been playing
    std::uint64_t restarts = 0;                      ///< attempts after the first
    std::map<SourceEnd::Cause, std::uint64_t> ends;  ///< of connections that we did not stop
    std::uint64_t frames = 0;                        ///< pictures delivered, without repeats
    std::uint64_t frames_repeated = 0;               ///< repeats of the last picture
    std::uint64_t frames_dropped = 0;         ///< above max_frame_rate, out of order, or no memory
    std::uint64_t audio_dropped_samples = 0;  ///< before the first picture, or 2 s off
    std::uint64_t unreadable = 0;             ///< see Source::Listener::on_unreadable
    std::uint64_t timeline_jumps = 0;         ///< jumps of the source's clock
    std::uint64_t stalls = 0;                 ///< see Timeline::stalls
    base::Duration longest_wait{};            ///< of recent pictures for their turn
    std::uint64_t bytes = 0;                  ///< of video and audio, without containers
    std::string video_codec;                  ///< see SourceReport; empty while disconnected
    std::string audio_codec;                  ///< the same
    std::optional<Isolation> isolation;       ///< of the source's process, while it runs
    std::optional<ProcessUse> use;            ///< the same
    media::PictureFormat format;              ///< width 0 before the first picture
    bool has_audio = false;                   ///< audio arrived within the last second
    std::map<SourceTrouble, std::string> troubles;  ///< with details; empty while disconnected
  };

  /// `make_source` makes all sources but "test:". Throws std::runtime_error with a one-line text if
  /// the source's URI can never work; state() reports failures that may pass (a missing file).
  Ingest(const std::string& stream, const SourceSettings& source, VideoSettings video,
         StreamClock clock, MakeSource make_source, Sink sink);
  ~Ingest();  ///< stops

  void start();
  void stop();          ///< returns within 1 s, when no callback runs any more
  State state() const;  ///< thread-safe

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace transcoder
