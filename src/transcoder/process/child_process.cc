#include "transcoder/process/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/system_error.h"

namespace transcoder {

namespace {

/// The process gets variables whose names begin so. Others may hold secrets, or lead its libraries
/// to services of this host.
constexpr std::array<std::string_view, 10> kPassed{
    "PATH=", "HOME=", "LANG=", "LC_", "TZ=", "XDG_", "GST_", "ORC_", "LD_", "CLOCK_SHIM"};

bool is_passed(std::string_view variable) {
  const auto name = variable.substr(0, variable.find('='));
  return name.ends_with("SAN_OPTIONS") ||  // of the sanitizers
         std::ranges::any_of(kPassed, [&](auto begin) { return variable.starts_with(begin); });
}

/// Otherwise libraries would ask the desktop's services or helper processes.
constexpr std::array<const char*, 6> kAdded{
    "GIO_USE_VFS=local",        "GIO_USE_NETWORK_MONITOR=base", "GIO_USE_PROXY_RESOLVER=dummy",
    "GSETTINGS_BACKEND=memory", "GST_REGISTRY_FORK=no",         nullptr};

std::vector<char*> variables() {
  std::vector<char*> result;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (is_passed(*variable)) result.push_back(*variable);
  }
  for (const char* variable : kAdded) result.push_back(const_cast<char*>(variable));
  return result;
}

/// The file actions and attributes of posix_spawn(3).
class SpawnPlan {
 public:
  SpawnPlan() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setflags(&attributes_,
                               POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
  }
  ~SpawnPlan() {
    ::posix_spawnattr_destroy(&attributes_);
    ::posix_spawn_file_actions_destroy(&actions_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  /// REQUIRES: `from` is above every `to`, or a later call would overwrite it.
  void pass(int from, int to) { check(::posix_spawn_file_actions_adddup2(&actions_, from, to)); }
  void open_null(int as) {
    check(::posix_spawn_file_actions_addopen(&actions_, as, "/dev/null", O_RDONLY, 0));
  }
  void close_from(int first) {
    check(::posix_spawn_file_actions_addclosefrom_np(&actions_, first));
  }

  pid_t run(const std::string& path, char* const* arguments, char* const* variables) const {
    pid_t pid = -1;
    check(::posix_spawn(&pid, path.c_str(), &actions_, &attributes_, arguments, variables));
    return pid;
  }

 private:
  static void check(int error) {
    if (error != 0) throw base::SystemError{"start the process of a source", error};
  }

  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

/// A copy of `fd` with a number that no file action writes to.
base::UniqueFd out_of_the_way(int fd, int first) {
  return base::UniqueFd{base::check("copy a descriptor", ::fcntl(fd, F_DUPFD_CLOEXEC, first))};
}

}  // namespace

ChildProcess::ChildProcess(int program, std::vector<std::string> arguments, int output,
                           Descriptors descriptors) {
  const int count = STDERR_FILENO + 1 + static_cast<int>(descriptors.size());
  const int first_free = count + 1;  // behind the program's own descriptor
  std::vector<base::UniqueFd> copies;
  SpawnPlan plan;
  const auto pass = [&](int from, int to) {
    plan.pass(copies.emplace_back(out_of_the_way(from, first_free)).get(), to);
  };
  plan.open_null(STDIN_FILENO);
  pass(output, STDOUT_FILENO);
  pass(output, STDERR_FILENO);
  for (const auto& [ours, theirs] : descriptors) pass(ours, theirs);
  pass(program, count);
  plan.close_from(first_free);
  arguments.insert(arguments.begin(), "symcast-ingest");
  std::vector<char*> words;
  for (auto& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  pid_ = plan.run(fmt::format("/proc/self/fd/{}", count), words.data(), variables().data());
  pidfd_.reset(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  if (!pidfd_) {
    const int error = errno;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    throw base::SystemError{"watch the process of a source", error};
  }
}

ChildProcess::~ChildProcess() {
  constexpr base::Duration kMaxEnd = std::chrono::milliseconds{300};
  kill();
  wait(kMaxEnd);
}

void ChildProcess::kill() {
  if (!exit_) ::syscall(SYS_pidfd_send_signal, pidfd_.get(), SIGKILL, nullptr, 0);
}

std::optional<ChildProcess::Exit> ChildProcess::wait(base::Duration timeout) {
  if (exit_) return exit_;
  pollfd ended{.fd = pidfd_.get(), .events = POLLIN, .revents = 0};
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(timeout).count();
  if (::poll(&ended, 1, static_cast<int>(ms)) <= 0) return std::nullopt;
  siginfo_t info{};
  if (::waitid(static_cast<idtype_t>(P_PIDFD), static_cast<id_t>(pidfd_.get()), &info, WEXITED) !=
      0)
    return std::nullopt;
  exit_ = Exit{.status = info.si_status, .by_signal = info.si_code != CLD_EXITED};
  return exit_;
}

}  // namespace transcoder
