#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "media/frame.h"
#include "transcoder/settings.h"

namespace transcoder {

/// Keeps one live source running: connects, paces, reconnects with back-off, and puts everything on
/// the stream's timeline. While the source is away the last picture is repeated, so that players
/// stay connected. Pictures are progressive I420 within VideoSettings' limits and strictly
/// increasing in pts and number; samples may have gaps or overlaps (AudioTrack recovers from them).
/// The sink is called on threads of the source; a call must return within a frame's time.
class Ingest {
 public:
  struct Sink {
    std::function<void(media::FramePtr)> frame;
    std::function<void(media::Samples)> samples;
  };

  enum class Status { kConnecting, kPlaying, kWaiting };  ///< kWaiting: backing off before a retry

  struct State {
    Status status = Status::kConnecting;
    std::string last_error;      ///< empty: none yet
    std::uint64_t restarts = 0;  ///< attempts after the first
    std::uint64_t frames = 0;    ///< pictures delivered, repeats excluded
    std::uint64_t frames_repeated = 0;
    std::uint64_t frames_dropped = 0;         ///< over max_frame_rate, or out of order
    std::uint64_t audio_dropped_samples = 0;  ///< 2 s from the pictures, or before the first
    std::uint64_t unreadable =
        0;  ///< pictures and audio frames, see Source::Listener::on_unreadable
    std::uint64_t timeline_jumps = 0;  ///< times the source's clock jumped and was re-anchored
    media::PictureFormat format;       ///< width 0: no picture yet
    bool has_audio = false;            ///< audio arrived within the last second
  };

  /// `epoch`: the monotonic time that pts 0 stands for. Throws std::runtime_error, one line, when
  /// the source's URI can never work; what may change (a missing file) is told by state().
  Ingest(std::string stream, const SourceSettings& source, VideoSettings video, base::Time epoch,
         Sink sink);
  ~Ingest();  ///< stops

  void start();
  void stop();  ///< returns when no callback runs any more; within 1 s whatever the source does
  State state() const;  ///< thread-safe

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace transcoder
