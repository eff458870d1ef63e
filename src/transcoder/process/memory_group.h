#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/control_group.h"
#include "base/result.h"
#include "base/units.h"

namespace transcoder {

class MemoryGroups;

/// A control group (cgroups(7), version 2) for one process. The kernel ends the process as soon as
/// it uses too much memory of any kind, that of its sockets and files included, or refuses it a
/// thread.
class MemoryGroup {
 public:
  /// Removes the group, now or once its process has ended.
  ~MemoryGroup();
  MemoryGroup(const MemoryGroup&) = delete;
  MemoryGroup& operator=(const MemoryGroup&) = delete;

  /// Memory that the process has by now stays with the group that it leaves. Returns false if the
  /// process has ended.
  bool add(pid_t process) const;

  /// Whether the kernel ended the process for its use of memory.
  bool exceeded() const;

 private:
  friend class MemoryGroups;
  MemoryGroup(std::shared_ptr<MemoryGroups> groups, std::filesystem::path folder)
      : groups_{std::move(groups)}, folder_{std::move(folder)} {}

  const std::shared_ptr<MemoryGroups> groups_;
  const std::filesystem::path folder_;
};

/// Makes such groups, where this process's own group was delegated to it (Delegate= of a systemd
/// unit). Thread-safe.
class MemoryGroups : public std::enable_shared_from_this<MemoryGroups> {
 public:
  struct Limits {
    base::ByteCount memory;
    int threads = 0;
  };

  /// Why this kernel or container has no such groups for anybody; empty if it has.
  static std::string unavailable(const base::ControlGroup& own);

  /// Moves this process into a group "server" below `own`, since a group that passes controllers on
  /// has no processes (cgroups(7), "no internal processes"). Returns the reason if it cannot, with
  /// all as it was.
  static base::Result<std::shared_ptr<MemoryGroups>> open(const base::ControlGroup& own);

  /// Returns the reason if the kernel refuses another group.
  base::Result<std::unique_ptr<MemoryGroup>> make(const Limits& limits);

 private:
  friend class MemoryGroup;
  explicit MemoryGroups(std::filesystem::path folder) : folder_{std::move(folder)} {}

  void remove(std::filesystem::path group);
  void remove_left();  // REQUIRES: mutex_

  const std::filesystem::path folder_;
  std::mutex mutex_;
  int made_ = 0;                             // GUARDED_BY(mutex_)
  std::vector<std::filesystem::path> left_;  // GUARDED_BY(mutex_); their processes still end
};

}  // namespace transcoder
