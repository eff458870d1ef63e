#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "base/units.h"
#include "server/output_queue.h"

namespace app {

/// The state of all streams as a server-sent event. It is made on request and shared with requests
/// that follow soon after, so several dashboards cost as much as one. Thread-safe.
class StateEvents {
 public:
  using Make = std::function<std::string(base::Time now)>;  ///< called on any thread

  /// Time between two events of one response. At twice per second a dashboard looks live, and each
  /// rate over a second is sent twice. A longer interval looks jerky, a shorter one costs CPU time.
  static constexpr base::Duration kStateInterval = std::chrono::milliseconds{500};

  /// `changes`: StreamChanges::count(); must outlive it.
  StateEvents(Make make, const std::atomic<std::uint64_t>& changes)
      : make_{std::move(make)}, changes_{changes} {}

  const std::atomic<std::uint64_t>& changes() const { return changes_; }
  /// Returns an event younger than kStateInterval, and than the last change; a caller that asks
  /// once per interval never gets the same one twice. Returns nullopt while another thread makes a
  /// new one.
  std::optional<server::SharedBytes> get(base::Time now);

 private:
  const Make make_;
  const std::atomic<std::uint64_t>& changes_;
  std::mutex mutex_;
  std::optional<server::SharedBytes> newest_;  // GUARDED_BY(mutex_)
  base::Time made_{};                          // GUARDED_BY(mutex_)
  std::uint64_t revision_ = 0;                 // GUARDED_BY(mutex_); of the newest
};

}  // namespace app
