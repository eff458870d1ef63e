#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/telemetry/trace_line.h"
#include "base/bounded_queue.h"
#include "server/handler.h"

namespace app {

/// A line of one viewer's trace, shared by all who watch the viewer.
struct ViewerLine {
  server::ViewerId viewer = 0;
  std::shared_ptr<const trace_line::Line> line;
};

/// The lines that one watcher has not read yet. A watcher that is slow loses the oldest.
struct WatcherLines {
  explicit WatcherLines(std::size_t bound, std::string of_stream = {})
      : stream{std::move(of_stream)}, queue{bound} {}

  const std::string stream;            ///< whose viewers are watched; empty for a single viewer
  std::set<server::ViewerId> viewers;  // GUARDED_BY(ViewerTaps::mutex_)
  base::BoundedQueue<ViewerLine> queue;
};

/// Distributes one viewer's trace lines to any number of watchers. Thread-safe; the lines come from
/// the viewer's loop thread.
class ViewerTap {
 public:
  /// Every watcher receives `join` first. `dropped` counts the lost lines and must outlive this
  /// object.
  ViewerTap(server::ViewerId viewer, const trace_line::Line& join,
            std::atomic<std::uint64_t>& dropped);

  /// Whether somebody watches; lines are needed only then. Costs one atomic load.
  bool watched() const { return watcher_count_.load(std::memory_order_relaxed) > 0; }
  void put(const trace_line::Line& line);
  /// There will be no further lines: closes the queues of those who watch this viewer alone.
  void end();

  void add(std::shared_ptr<WatcherLines> watcher);
  void remove(const std::shared_ptr<WatcherLines>& watcher);

 private:
  const ViewerLine join_;
  std::atomic<std::uint64_t>& dropped_;
  std::atomic<int> watcher_count_{0};
  std::mutex mutex_;
  std::vector<std::shared_ptr<WatcherLines>> watchers_;  // GUARDED_BY(mutex_)
  bool ended_ = false;                                   // GUARDED_BY(mutex_)
};

class ViewerTaps;

/// One watcher, who no longer watches once this is destroyed.
class ViewerWatch {
 public:
  ViewerWatch(ViewerTaps& taps, std::shared_ptr<WatcherLines> lines)
      : taps_{&taps}, lines_{std::move(lines)} {}
  ~ViewerWatch();
  ViewerWatch(ViewerWatch&&) = default;
  ViewerWatch& operator=(ViewerWatch&&) = delete;

  /// Returns the lines that have arrived since the last call.
  std::deque<ViewerLine> take() { return lines_->queue.take(); }
  /// Lines lost because the watcher was slow.
  std::uint64_t dropped() const { return lines_->queue.dropped(); }
  /// Whether the only viewer has left; one more take() then returns the last lines.
  bool ended() const { return lines_->queue.closed(); }

 private:
  ViewerTaps* taps_;
  std::shared_ptr<WatcherLines> lines_;  ///< null once moved from
};

/// The taps of all viewers by viewer id. Thread-safe; must outlive the taps and watches.
class ViewerTaps {
 public:
  // 20 s of a viewer's lines at 30 frames/s: longer than server.stall_timeout (by default), after
  // which a watcher that reads nothing is disconnected. A larger bound costs memory, a smaller one
  // loses lines of watchers that may still recover.
  static constexpr std::size_t kMaxLinesOfViewer = 1000;
  // Together they write 3700 lines per second, which takes 7 % of a processor. More would slow the
  // server down for the viewers of a large stream.
  static constexpr std::size_t kMaxViewersOfStream = 100;
  // 5 s of them, and 8 MB.
  static constexpr std::size_t kMaxLinesOfStream = 20'000;

  std::shared_ptr<ViewerTap> add(server::ViewerId viewer, const std::string& stream,
                                 const trace_line::Line& join);
  void remove(server::ViewerId viewer);
  /// Returns nullopt if there is no such viewer.
  std::optional<ViewerWatch> watch(server::ViewerId viewer);
  /// Watches the viewers of `stream`, those who are there and those who come, but at most
  /// kMaxViewersOfStream at a time, the first to come.
  ViewerWatch watch_stream(const std::string& stream);
  std::uint64_t lines_dropped() const { return dropped_; }

 private:
  friend class ViewerWatch;
  struct Entry {
    std::string stream;
    std::shared_ptr<ViewerTap> tap;
  };

  static void begin(const std::shared_ptr<WatcherLines>& watcher, server::ViewerId viewer,
                    const Entry& entry);
  void end(const std::shared_ptr<WatcherLines>& watcher);

  std::atomic<std::uint64_t> dropped_{0};
  std::mutex mutex_;
  std::map<server::ViewerId, Entry> taps_;                      // GUARDED_BY(mutex_)
  std::vector<std::shared_ptr<WatcherLines>> stream_watchers_;  // GUARDED_BY(mutex_)
};

}  // namespace app
