#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>

#include "transcoder/ingest/backoff.h"
#include "transcoder/ingest/ingest_output.h"
#include "transcoder/ingest/patience.h"
#include "transcoder/ingest/source_watch.h"
#include "transcoder/ingest/trouble_log.h"
#include "transcoder/source.h"

namespace transcoder {

/// Keeps one source connected, on a thread of its own: watches for its end, errors and silence, and
/// reconnects with back-off. Meanwhile the output repeats its last picture.
///
///                    first picture             no picture for kFreezeTime
///   kConnecting ------------------> kPlaying <------------------------> kStalled
///     ^      | end, error, silence     | end, error, silence              |
///     |      v                         |                                  |
///     +-- kWaiting (back-off) <--------+----------------------------------+
class Supervisor {
 public:
  using MakeSource = std::function<std::unique_ptr<Source>()>;

  /// `source_name` is the source's name in the log.
  Supervisor(std::string stream, std::string source_name, const SourceSettings& settings,
             MakeSource make_source, std::shared_ptr<IngestOutput> output);
  ~Supervisor();

  void start();
  void stop();  ///< returns within 1 s
  Ingest::State state() const;

 private:
  struct Outage {
    base::Time since{};
    std::string reason;
  };

  /// The end of a connection.
  struct End {
    SourceEnd why;  ///< no reason if we stopped it
    base::Duration played{};
    bool had_data = false;  ///< data have come
  };

  void run();
  void play();
  End follow(const SourceWatch& watch, const Source& source);
  void note(SourceReport report, const Ingest::State& output, base::Duration played);
  void connected();
  void lost(const End& end);
  base::Duration wait_after(const End& end);
  void wait_and_repeat(base::Duration wait);
  /// Waits for `duration`, or less if woken. Returns false when stopping.
  bool pause(base::Duration duration);

  const std::string stream_;
  const std::string source_name_;
  const SourceSettings settings_;
  const MakeSource make_source_;
  const std::shared_ptr<IngestOutput> output_;
  const bool waits_;  ///< waits_for_sender()
  const Patience patience_;
  Backoff backoff_;
  TroubleLog trouble_log_;
  bool audio_off_ = false;
  bool paced_ = false;               ///< frames of this connection wait for their turn
  std::uint64_t audio_dropped_ = 0;  ///< samples, when the state was last read
  std::uint64_t bytes_ = 0;          ///< of the connection, when its report was last read
  std::mt19937 random_{std::random_device{}()};
  Outage outage_;  // reason is empty while playing, and before the first failure
  bool ever_played_ = false;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool woken_ = false;     // GUARDED_BY(mutex_)
  bool stopping_ = false;  // GUARDED_BY(mutex_)
  Ingest::State state_;    // GUARDED_BY(mutex_); without the output's part
  std::thread thread_;
};

}  // namespace transcoder
