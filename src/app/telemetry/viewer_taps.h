#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "app/telemetry/trace_line.h"
#include "base/bounded_queue.h"
#include "server/handler.h"
#include "server/output_queue.h"

namespace app {

/// Distributes one viewer's trace lines, as server-sent events, to any number of watchers. Each
/// watcher has a queue, which loses its oldest lines if the watcher is slow. Thread-safe; the lines
/// come from the viewer's loop thread.
class ViewerTap {
 public:
  using Queue = base::BoundedQueue<server::SharedBytes>;

  // 20 s of a viewer's lines at 30 frames/s: longer than server.stall_timeout (by default), after
  // which a watcher that reads nothing is disconnected. A larger bound costs memory, a smaller one
  // loses lines of watchers that may still recover.
  static constexpr std::size_t kMaxLinesPerWatcher = 1000;

  /// Every watcher receives `join` first. `dropped` counts the lost lines and must outlive this
  /// object.
  ViewerTap(const trace_line::Line& join, std::atomic<std::uint64_t>& dropped);

  /// Whether somebody watches; lines are needed only then. Costs one atomic load.
  bool watched() const { return watchers_.load(std::memory_order_relaxed) > 0; }
  void put(const trace_line::Line& line);
  /// Closes the queues: there will be no further lines.
  void end();

  std::shared_ptr<Queue> add();
  void remove(const std::shared_ptr<Queue>& queue);

 private:
  const server::SharedBytes join_;
  std::atomic<std::uint64_t>& dropped_;
  std::atomic<int> watchers_{0};
  std::mutex mutex_;
  std::vector<std::shared_ptr<Queue>> queues_;  // GUARDED_BY(mutex_)
  bool ended_ = false;                          // GUARDED_BY(mutex_)
};

/// One watcher's queue at a tap, removed when destroyed.
class ViewerWatch {
 public:
  explicit ViewerWatch(std::shared_ptr<ViewerTap> tap)
      : tap_{std::move(tap)}, lines_{tap_->add()} {}
  ~ViewerWatch() {
    if (tap_) tap_->remove(lines_);
  }
  ViewerWatch(ViewerWatch&&) = default;
  ViewerWatch& operator=(ViewerWatch&&) = delete;

  /// Returns the lines that have arrived since the last call.
  std::deque<server::SharedBytes> take() { return lines_->take(); }
  /// Whether the viewer has left; one more take() then returns the last lines.
  bool ended() const { return lines_->closed(); }

 private:
  std::shared_ptr<ViewerTap> tap_;
  std::shared_ptr<ViewerTap::Queue> lines_;
};

/// The taps of all viewers by viewer id. Thread-safe; must outlive the taps.
class ViewerTaps {
 public:
  std::shared_ptr<ViewerTap> add(server::ViewerId viewer, const trace_line::Line& join);
  void remove(server::ViewerId viewer);
  /// Returns nullopt if there is no such viewer.
  std::optional<ViewerWatch> watch(server::ViewerId viewer) const;
  std::uint64_t lines_dropped() const { return dropped_; }

 private:
  std::atomic<std::uint64_t> dropped_{0};
  mutable std::mutex mutex_;
  std::map<server::ViewerId, std::shared_ptr<ViewerTap>> taps_;  // GUARDED_BY(mutex_)
};

}  // namespace app
