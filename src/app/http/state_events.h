#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "base/units.h"
#include "server/output_queue.h"

namespace app {

/// The state of everything as a server-sent event, made when somebody asks for it and shared with
/// whoever asks soon after: several dashboards cost what one costs. Thread-safe.
class StateEvents {
 public:
  using Make = std::function<std::string(base::Time now)>;  ///< called on any thread

  /// Twice per second somebody who looks sees it move, and a rate of a second is seen twice.
  static constexpr base::Duration kInterval = std::chrono::milliseconds{500};

  explicit StateEvents(Make make) : make_{std::move(make)} {}

  /// Never older than an interval, and never twice the same for one who asks once in each. Empty:
  /// another thread is making it.
  std::optional<server::SharedBytes> get(base::Time now);

 private:
  const Make make_;
  std::mutex mutex_;
  std::optional<server::SharedBytes> newest_;  // GUARDED_BY(mutex_)
  base::Time made_{};                          // GUARDED_BY(mutex_)
};

}  // namespace app
