#include "transcoder/process/memory_group.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/unique_fd.h"

namespace transcoder {

namespace {

namespace fs = std::filesystem;

constexpr const char* kProcesses = "cgroup.procs";
constexpr const char* kPassedOn = "cgroup.subtree_control";
constexpr mode_t kMode = 0755;

std::string error_text() { return std::generic_category().message(errno); }

/// These files take each write(2) as one order.
bool write_text(const fs::path& file, std::string_view text) {
  const base::UniqueFd fd{::open(file.c_str(), O_WRONLY | O_CLOEXEC)};
  return fd && ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

std::string read_text(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream{file}.rdbuf();
  return text.str();
}

bool has_word(const std::string& text, std::string_view word) {
  std::istringstream words{text};
  for (std::string each; words >> each;) {
    if (each == word) return true;
  }
  return false;
}

/// Empty if the groups below this one can have the limits.
std::string missing_controller(const fs::path& folder) {
  const auto controllers = read_text(folder / "cgroup.controllers");
  for (const auto* needed : {"memory", "pids"}) {
    if (!has_word(controllers, needed)) {
      return fmt::format("{} has no controller \"{}\"", folder.native(), needed);
    }
  }
  return {};
}

bool make_folder(const fs::path& folder) {
  return ::mkdir(folder.c_str(), kMode) == 0 || errno == EEXIST;
}

}  // namespace

MemoryGroup::~MemoryGroup() { groups_->remove(folder_); }

bool MemoryGroup::add(pid_t process) const {
  return write_text(folder_ / kProcesses, std::to_string(process));
}

bool MemoryGroup::exceeded() const {
  std::istringstream events{read_text(folder_ / "memory.events")};
  std::string name;
  for (long count = 0; events >> name >> count;) {
    if (name == "oom_kill") return count > 0;
  }
  return false;
}

std::string MemoryGroups::unavailable(const base::ControlGroup& own) {
  if (own.mount.empty()) return "control groups (version 2) are not mounted";
  return missing_controller(own.mount);
}

base::Result<std::shared_ptr<MemoryGroups>> MemoryGroups::open(const base::ControlGroup& own) {
  if (auto why = unavailable(own); !why.empty()) return base::Error{why};
  const fs::path folder{own.mount + own.path};
  if (auto why = missing_controller(folder); !why.empty()) return base::Error{why};
  if (::access((folder / kPassedOn).c_str(), W_OK) != 0) {
    return base::Error{fmt::format("{} is not delegated: {}", folder.native(), error_text())};
  }
  const auto self = std::to_string(::getpid());
  if (read_text(folder / kProcesses) != self + "\n") {
    return base::Error{fmt::format("{} has other processes", folder.native())};
  }
  const auto server = folder / "server";
  if (!make_folder(server) || !write_text(server / kProcesses, self)) {
    return base::Error{fmt::format("{}: {}", server.native(), error_text())};
  }
  if (!write_text(folder / kPassedOn, "+memory +pids")) {
    const auto error = error_text();
    write_text(folder / kProcesses, self);
    ::rmdir(server.c_str());
    return base::Error{fmt::format("{} does not pass memory on: {}", folder.native(), error)};
  }
  return std::shared_ptr<MemoryGroups>{new MemoryGroups{folder}};
}

base::Result<std::unique_ptr<MemoryGroup>> MemoryGroups::make(const Limits& limits) {
  std::unique_lock lock{mutex_};
  remove_left();
  const auto folder = folder_ / fmt::format("source-{}", ++made_);
  lock.unlock();
  if (!make_folder(folder))
    return base::Error{fmt::format("{}: {}", folder.native(), error_text())};
  std::unique_ptr<MemoryGroup> group{new MemoryGroup{shared_from_this(), folder}};
  // Memory on a disk is not less of it. A kernel without swap does not have the file.
  write_text(folder / "memory.swap.max", "0");
  if (!write_text(folder / "memory.max", std::to_string(limits.memory.bytes())) ||
      !write_text(folder / "pids.max", std::to_string(limits.threads))) {
    return base::Error{fmt::format("{}: {}", folder.native(), error_text())};
  }
  return group;
}

void MemoryGroups::remove(fs::path group) {
  std::lock_guard lock{mutex_};
  left_.push_back(std::move(group));
  remove_left();
}

void MemoryGroups::remove_left() {
  std::erase_if(left_, [](const auto& group) {
    return ::rmdir(group.c_str()) == 0 || errno == ENOENT;  // EBUSY: it has a process
  });
}

}  // namespace transcoder
