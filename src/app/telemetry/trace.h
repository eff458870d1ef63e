#pragma once

#include <atomic>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>

#include "base/bounded_queue.h"
#include "base/log_period.h"

namespace app {

/// Writes what happened to each viewer as JSON lines, one file per session, on a thread of its own,
/// which alone opens and closes files; when the disk is slower than the events, the oldest waiting
/// lines are lost, as are those that the disk does not take; both are counted. docs/TRACE.md
/// describes the lines. Thread-safe.
class Trace {
 public:
  struct Session {
    explicit Session(std::string where) : path{std::move(where)} {}
    const std::string path;
  };

  /// Creates `directory` when it is missing; throws std::runtime_error when it cannot be written.
  explicit Trace(const std::string& directory);
  ~Trace();  ///< writes what waits

  std::shared_ptr<Session> open(const std::string& stream, std::uint64_t viewer);
  /// With the session's last line its last reference: then the file is complete.
  void write(std::shared_ptr<Session> session, std::string line);
  std::uint64_t lines_lost() const { return lines_.dropped() + lines_failed_; }

 private:
  struct Line {
    std::shared_ptr<Session> session;
    std::string text;
  };
  using Files = std::unordered_map<std::shared_ptr<Session>, std::ofstream>;
  // 25 s of 50 viewers at 30 frames and 10 samples per second.
  static constexpr std::size_t kBound = 50000;
  // Lines between two looks for sessions that lost their last one: a look costs as much as a few.
  static constexpr std::size_t kLinesPerSweep = 1000;

  void run();
  void write(const Line& line, Files& files);
  void write_failed();

  const std::string directory_;
  base::BoundedQueue<Line> lines_{kBound};
  std::atomic<std::uint64_t> lines_failed_{0};
  base::LogPeriod failures_;  // used by the writer thread only
  std::thread thread_;
};

}  // namespace app
