#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "base/log_period.h"
#include "media/frame.h"
#include "transcoder/ingest/ingest.h"
#include "transcoder/time/frame_rate_limit.h"
#include "transcoder/time/timeline.h"

namespace transcoder {

/// Where the pictures and the audio of all connections of one source meet: puts them on the
/// stream's timeline, limits the frame rate, numbers them and calls the sink, in order.
/// Thread-safe; the sink runs under mutex_, state() never waits for it.
class IngestOutput {
 public:
  IngestOutput(std::string stream, const VideoSettings& video, base::Time epoch, Ingest::Sink sink);

  void picture(media::Frame picture);
  void audio(media::Samples samples, base::Time captured);
  void unreadable(std::uint64_t count);

  /// What follows comes from a new connection.
  void restart();
  /// Sends the last picture again when none has gone out for `quiet`.
  void repeat_after(base::Duration quiet, base::Time now);
  /// When it returns no callback runs, and none will.
  void close();

  /// The parts of Ingest::State that are known here.
  Ingest::State state(base::Time now) const;

 private:
  void deliver(media::Frame frame, std::uint64_t Ingest::State::*counter);
  void count_drop();
  void report_jumps(base::Time now);

  const std::string stream_;
  const Ingest::Sink sink_;

  std::mutex mutex_;
  bool closed_ = false;           // GUARDED_BY(mutex_)
  Timeline timeline_;             // GUARDED_BY(mutex_)
  FrameRateLimit limit_;          // GUARDED_BY(mutex_)
  media::Frame last_;             // GUARDED_BY(mutex_); no planes: none yet
  base::Time delivered_{};        // GUARDED_BY(mutex_)
  std::uint64_t number_ = 0;      // GUARDED_BY(mutex_)
  std::uint64_t jumps_seen_ = 0;  // GUARDED_BY(mutex_)
  base::LogPeriod jumps_;         // GUARDED_BY(mutex_)

  mutable std::mutex state_mutex_;
  Ingest::State state_;      // GUARDED_BY(state_mutex_)
  base::Time last_audio_{};  // GUARDED_BY(state_mutex_)
};

}  // namespace transcoder
