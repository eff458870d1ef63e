#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/log_period.h"
#include "media/frame.h"
#include "transcoder/ingest/ingest.h"
#include "transcoder/time/dejitter.h"
#include "transcoder/time/frame_rate_limit.h"
#include "transcoder/time/timeline.h"

namespace transcoder {

/// How long the picture may stand still while the source is connected. Viewers are to know within a
/// second that it does; a longer time hides it from them. A shorter one takes the half second of
/// jitter that Dejitter evens out for an outage.
inline constexpr base::Duration kFreezeTime = std::chrono::milliseconds{800};

/// Joins the pictures and audio of all connections of one source: maps them to the stream's
/// timeline, limits the frame rate, spaces pictures that arrive in bursts, numbers them and calls
/// the sink, in order. Thread-safe. The sink runs under mutex_, on the caller's thread or, for a
/// picture that had to wait (Dejitter), on a thread of the output. state() never waits for it.
class IngestOutput {
 public:
  IngestOutput(std::string stream, const VideoSettings& video, StreamClock clock,
               Ingest::Sink sink);
  ~IngestOutput();

  void picture(media::Frame picture);
  void audio(media::Samples samples, base::Time captured);
  void unreadable(std::uint64_t count);
  void dropped(std::uint64_t count);

  /// Call before the first picture of a new connection.
  void restart();
  /// Sends the last picture again if none was sent for `quiet`, and none waits.
  void repeat_after(base::Duration quiet, base::Time now);
  /// After it returns the sink is not called any more.
  void close();

  /// Ingest::State without status, last_error, away_since and restarts.
  Ingest::State state(base::Time now) const;
  /// Since when the picture would look frozen: the next one is late, by far. nullopt if it is not.
  std::optional<base::Time> stalled_since(base::Time now) const;

 private:
  struct Waiting {
    media::Frame picture;
    base::Time due;
  };
  /// Jumps of the source's clock, or stalls.
  struct Breaks {
    std::uint64_t seen = 0;
    base::LogPeriod logged;
  };

  void deliver(media::Frame frame, std::uint64_t Ingest::State::*counter);
  void release_waiting();
  void note_picture(base::Time captured);
  void count_drop();
  bool report_breaks(base::Time now);
  void forget_rhythm();

  const std::string stream_;
  const Ingest::Sink sink_;

  std::mutex mutex_;
  bool closed_ = false;          // GUARDED_BY(mutex_)
  Timeline timeline_;            // GUARDED_BY(mutex_)
  FrameRateLimit limit_;         // GUARDED_BY(mutex_)
  Dejitter dejitter_;            // GUARDED_BY(mutex_)
  std::deque<Waiting> waiting_;  // GUARDED_BY(mutex_); in the order of `due`
  media::Frame last_;            // GUARDED_BY(mutex_); without planes before the first picture
  base::Time delivered_{};       // GUARDED_BY(mutex_)
  std::uint64_t number_ = 0;     // GUARDED_BY(mutex_)
  Breaks jumps_;                 // GUARDED_BY(mutex_)
  Breaks stalls_;                // GUARDED_BY(mutex_)

  mutable std::mutex state_mutex_;
  Ingest::State state_;                 // GUARDED_BY(state_mutex_)
  std::optional<base::Time> previous_;  // GUARDED_BY(state_mutex_); picture of this connection
  base::Duration interval_{};           // GUARDED_BY(state_mutex_); between the last two
  base::Time last_audio_{};             // GUARDED_BY(state_mutex_)

  std::condition_variable changed_;  ///< waiting_ or closed_
  std::thread thread_;               ///< last, because it uses everything above
};

}  // namespace transcoder
