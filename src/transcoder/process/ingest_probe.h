#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <thread>

#include "base/result.h"
#include "transcoder/process/ingest_program.h"
#include "transcoder/source.h"

namespace transcoder {

/// Parts of GStreamer on this machine, as the program of the sources' processes finds them.
struct IngestProbe {
  std::string version;             ///< of GStreamer: "1.22.0"
  Isolation isolation;             ///< that a source's process has here
  std::set<std::string> elements;  ///< those that there are, of those asked for
};

/// Runs it, without a source. GStreamer then also brings its list of plugins up to date. Gives up
/// once `cancelled` returns true. An error is a line for the operator.
base::Result<IngestProbe> probe_ingest(
    const IngestProgram& program, std::span<const std::string> elements,
    const std::function<bool()>& cancelled = [] { return false; });

/// GStreamer's list of plugins. To write it takes seconds on a new machine, a minute with a slow
/// disk, so it is written once before the first source starts, and not by each source's process for
/// itself. Thread-safe.
class PluginList {
 public:
  PluginList() = default;
  ~PluginList();
  PluginList(const PluginList&) = delete;
  PluginList& operator=(const PluginList&) = delete;

  /// Returns once the list is up to date; false once `cancelled` returns true before. The work goes
  /// on then, for the next caller. `program` outlives this object.
  bool update(const IngestProgram& program, const std::function<bool()>& cancelled);

 private:
  enum class State { kUnknown, kUpdating, kUpdated };
  void run(const IngestProgram& program);

  std::mutex mutex_;
  std::condition_variable changed_;
  State state_ = State::kUnknown;  // GUARDED_BY(mutex_)
  std::atomic<bool> ending_ = false;
  std::thread thread_;
};

}  // namespace transcoder
