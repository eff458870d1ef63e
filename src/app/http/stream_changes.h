#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/stream/live_stream.h"
#include "base/units.h"
#include "server/handler.h"

namespace app {

/// Counts the changes that viewers should see at once: a stream comes or goes, its source stops,
/// returns, or has another trouble. Retries of a source are none. count() is thread-safe.
class StreamChanges {
 public:
  /// The streams' names and sources; called on the thread of the loop source.
  using Look = std::function<std::vector<LiveStream::Source>()>;

  /// Changes that follow sooner count as one, so that a source that comes and goes wakes every
  /// reader five times per second at most. A longer time shows the second change later.
  static constexpr base::Duration kMinInterval = std::chrono::milliseconds{200};

  explicit StreamChanges(Look look);

  /// It begins at the present Unix time in milliseconds, so that it differs after a restart.
  const std::atomic<std::uint64_t>& count() const { return count_; }
  void update(base::Time now);
  /// Calls update() 20 times per second. Throws base::SystemError. This object must outlive it.
  std::unique_ptr<server::LoopSource> loop_source();

 private:
  class Timer;

  const Look look_;
  std::string seen_;
  base::Time changed_{};
  std::atomic<std::uint64_t> count_;
};

}  // namespace app
