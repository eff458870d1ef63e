#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/log_period.h"
#include "base/unique_fd.h"
#include "transcoder/access/access_broker.h"
#include "transcoder/settings.h"

namespace transcoder {

/// The accesses of all streams, of which each outlives its sources' processes. One that no process
/// has had for kKept is forgotten when another stream asks for its own: its stream is gone.
/// Thread-safe.
class StreamAccesses {
 public:
  struct Entry {
    access::StreamAccess access;
    base::LogPeriod refused;           ///< used by the stream's broker
    std::atomic<base::Time> used{{}};  ///< when a process got it, or ended
  };

  /// Longer than sources wait between two attempts, so that a bound on their requests outlasts the
  /// wait. A longer time remembers streams for longer that were removed.
  static constexpr base::Duration kKept = std::chrono::minutes{10};

  std::shared_ptr<Entry> of(const std::string& stream, base::Time now);
  std::size_t known() const {
    std::lock_guard lock{mutex_};
    return entries_.size();
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Entry>> entries_;  // GUARDED_BY(mutex_); by stream
};

/// Lets one process of a source open what it may, and logs the rest.
class SourceAccess final : public access::AccessBroker::Listener {
 public:
  /// Throws std::system_error.
  SourceAccess(std::string stream, const SourceSettings& source,
               std::shared_ptr<StreamAccesses::Entry> entry);
  ~SourceAccess() override;

  /// For the process. release() closes ours, once it has them.
  int access_fd() const { return access_.get(); }
  int lookup_fd() const { return lookup_.get(); }
  void release();

  /// How the process has broken the protocol; empty if it has not.
  std::string broken() const;

 private:
  void on_refused(const access::Refusal& refusal) override;
  void on_broken(std::string how) override;

  const std::string stream_;
  const std::shared_ptr<StreamAccesses::Entry> entry_;
  base::UniqueFd access_;
  base::UniqueFd lookup_;
  mutable std::mutex mutex_;
  std::string broken_;  // GUARDED_BY(mutex_)
  std::optional<access::AccessBroker> broker_;
};

}  // namespace transcoder
