#include "tcpinfo/ebpf/guardian.h"

#include <bpf/bpf.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <utility>

#include "base/system_error.h"

namespace tcpinfo {

namespace {

/// Maps that are not registered are left alone.
void unregister(const std::vector<base::UniqueFd>& maps) {
  const std::uint32_t only_key = 0;
  for (const auto& map : maps) bpf_map_delete_elem(map.get(), &only_key);
}

/// Blocks every signal while it lives, also those that a terminal or a supervisor sends to a whole
/// group (and SIGABRT of systemd's watchdog). A child forked meanwhile keeps them blocked for good.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_{};
};

void give_up_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> none{};
  ::syscall(SYS_capset, &header, none.data());
}

/// Closes the owner's sockets and files in the guardian, so that they end with the owner.
void close_all_but(std::vector<int> kept) {
  std::ranges::sort(kept);
  int next = 0;
  for (const int fd : kept) {
    if (fd > next) ::close_range(next, fd - 1, 0);
    next = fd + 1;
  }
  ::close_range(next, ~0u, 0);
}

[[noreturn]] void guard(const std::vector<base::UniqueFd>& maps, int pipe) {
  ::prctl(PR_SET_NAME, "symcast_guard");
  give_up_capabilities();
  std::vector<int> kept{pipe};
  for (const auto& map : maps) kept.push_back(map.get());
  close_all_but(std::move(kept));
  char nothing = 0;
  while (::read(pipe, &nothing, 1) < 0 && errno == EINTR) {
  }
  unregister(maps);
  ::_exit(0);
}

}  // namespace

Guardian::Guardian(std::vector<base::UniqueFd> maps) : maps_{std::move(maps)} {
  std::array<int, 2> ends{};
  base::check("pipe", ::pipe2(ends.data(), O_CLOEXEC));
  const base::UniqueFd far{ends[0]};
  pipe_.reset(ends[1]);
  const BlockedSignals blocked;
  pid_ = base::check("fork", ::fork());
  if (pid_ == 0) {
    pipe_.reset();
    guard(maps_, far.get());
  }
}

Guardian::~Guardian() {
  pipe_.reset();
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  unregister(maps_);  // in case someone killed the process
}

}  // namespace tcpinfo
