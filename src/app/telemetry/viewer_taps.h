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

/// One viewer's lines, as server-sent events, on their way to whoever watches him: any number, each
/// with a queue of his own, which loses its oldest lines when he is slow. Thread-safe; the lines
/// come from the viewer's loop thread.
class ViewerTap {
 public:
  using Queue = base::BoundedQueue<server::SharedBytes>;

  // 20 s of a viewer's lines at 30 frames/s: longer than a reader is waited for who takes nothing
  // (server.stall_timeout, by default).
  static constexpr std::size_t kBound = 1000;

  /// Whoever comes is given `join` first. `dropped` counts the lines lost, and must outlive it.
  ViewerTap(const trace_line::Line& join, std::atomic<std::uint64_t>& dropped);

  /// Somebody watches: only then are lines worth making. One load.
  bool watched() const { return watchers_.load(std::memory_order_relaxed) > 0; }
  void put(const trace_line::Line& line);
  /// There will be no further lines.
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

/// Somebody's place at a tap, given up when destroyed.
class ViewerWatch {
 public:
  explicit ViewerWatch(std::shared_ptr<ViewerTap> tap)
      : tap_{std::move(tap)}, lines_{tap_->add()} {}
  ~ViewerWatch() {
    if (tap_) tap_->remove(lines_);
  }
  ViewerWatch(ViewerWatch&&) = default;
  ViewerWatch& operator=(ViewerWatch&&) = delete;

  /// What has come since the last call.
  std::deque<server::SharedBytes> take() { return lines_->take(); }
  /// The viewer has left: one more take() gives all there will be.
  bool ended() const { return lines_->closed(); }

 private:
  std::shared_ptr<ViewerTap> tap_;
  std::shared_ptr<ViewerTap::Queue> lines_;
};

/// The taps of all viewers, by their ids. Thread-safe; must outlive them.
class ViewerTaps {
 public:
  std::shared_ptr<ViewerTap> add(server::ViewerId viewer, const trace_line::Line& join);
  void remove(server::ViewerId viewer);
  /// Empty: there is no such viewer.
  std::optional<ViewerWatch> watch(server::ViewerId viewer) const;
  std::uint64_t lines_dropped() const { return dropped_; }

 private:
  std::atomic<std::uint64_t> dropped_{0};
  mutable std::mutex mutex_;
  std::map<server::ViewerId, std::shared_ptr<ViewerTap>> taps_;  // GUARDED_BY(mutex_)
};

}  // namespace app
