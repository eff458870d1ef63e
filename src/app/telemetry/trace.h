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

/// Writes the events of each viewer's session as JSON lines to one file per session
/// (docs/TRACE.md). Its own thread opens, writes and closes the files. If the disk is slower than
/// the events, the oldest waiting lines are lost; lines that the disk does not take are lost too.
/// Lost lines are counted. Thread-safe.
class Trace {
 public:
  struct Session {
    explicit Session(std::string where) : path{std::move(where)} {}
    const std::string path;
  };

  /// Stays free on the file system: the smaller of both. Others need it, such as the log. More ends
  /// the traces sooner.
  struct Reserve {
    base::ByteCount amount{1'000'000'000};
    double part = 0.05;
  };

  /// Creates `directory` if it is missing. Throws std::runtime_error if it cannot be written.
  explicit Trace(const std::string& directory) : Trace{directory, Reserve{}} {}
  Trace(const std::string& directory, Reserve reserve);
  ~Trace();  ///< writes the waiting lines

  std::shared_ptr<Session> open(const std::string& stream, std::uint64_t viewer);
  /// Pass the session's last reference together with its last line; the file is then closed.
  void write(std::shared_ptr<Session> session, std::string line);
  std::uint64_t lines_lost() const { return lines_.dropped() + lines_failed_; }

 private:
  struct Line {
    std::shared_ptr<Session> session;
    std::string text;
  };
  using Files = std::unordered_map<std::shared_ptr<Session>, std::ofstream>;
  // 25 s of 50 viewers at 30 frames and 10 samples per second. A larger bound survives a longer
  // stall of the disk and takes more memory.
  static constexpr std::size_t kMaxWaitingTraceLines = 50000;
  // Lines between two sweeps, which close the files of sessions whose last line was lost. A sweep
  // costs as much as writing a few lines; more lines per sweep keep such files open longer.
  static constexpr std::size_t kLinesPerSweep = 1000;

  void run();
  void write(const Line& line, Files& files);
  bool has_room();
  void write_failed(int error);  ///< errno

  const std::string directory_;
  const Reserve reserve_;
  base::BoundedQueue<Line> lines_{kMaxWaitingTraceLines};
  std::atomic<std::uint64_t> lines_failed_{0};
  // Used by the writer thread only.
  base::LogPeriod failures_;
  base::Time looked_for_room_{};
  bool has_room_ = true;
  std::thread thread_;
};

}  // namespace app
