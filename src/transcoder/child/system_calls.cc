#include "transcoder/child/system_calls.h"

#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <stdexcept>
#include <system_error>

#include "transcoder/wire/descriptors.h"

namespace transcoder {

namespace {

/// Calls of GStreamer, its plugins for the sources that README.md lists, and the libraries under
/// them. A name that an architecture does not have is left out.
constexpr std::array kAllowed{
    // memory
    "brk", "madvise", "membarrier", "memfd_create", "mincore", "mlock", "mmap", "mmap2", "mprotect",
    "mremap", "msync", "munlock", "munmap", "pkey_alloc", "pkey_free", "pkey_mprotect",
    // time
    "clock_getres", "clock_gettime", "clock_nanosleep", "getitimer", "gettimeofday", "nanosleep",
    "setitimer", "time", "timer_create", "timer_delete", "timer_settime", "timerfd_create",
    "timerfd_gettime", "timerfd_settime", "times",
    // threads, and this process
    "arch_prctl", "capget", "exit", "exit_group", "futex", "futex_waitv", "get_robust_list",
    "getcpu", "getegid", "geteuid", "getgid", "getgroups", "getpgid", "getpgrp", "getpid",
    "getppid", "getpriority", "getrandom", "getresgid", "getresuid", "getrlimit", "getrusage",
    "getsid", "gettid", "getuid", "restart_syscall", "rseq", "sched_get_priority_max",
    "sched_get_priority_min", "sched_getaffinity", "sched_getattr", "sched_getparam",
    "sched_getscheduler", "sched_setaffinity", "sched_yield", "set_robust_list", "set_tid_address",
    "sysinfo", "uname",
    // signals
    "pause", "rt_sigaction", "rt_sigpending", "rt_sigprocmask", "rt_sigreturn", "rt_sigsuspend",
    "rt_sigtimedwait", "sigaltstack", "signalfd4",
    // files; those that may be opened are the matter of landlock.h and mount_view.h
    "access", "dup", "faccessat", "faccessat2", "fadvise64", "fcntl", "flock", "fstat", "fstatfs",
    "getcwd", "getdents", "getdents64", "ioctl", "lseek", "lstat", "newfstatat", "open", "openat",
    "openat2", "pread64", "preadv", "preadv2", "pwrite64", "pwritev", "read", "readahead",
    "readlink", "readlinkat", "readv", "stat", "statfs", "statx", "umask", "write", "writev",
    // waiting
    "epoll_create", "epoll_create1", "epoll_ctl", "epoll_pwait", "epoll_pwait2", "epoll_wait",
    "eventfd", "eventfd2", "inotify_add_watch", "inotify_init1", "inotify_rm_watch", "pipe",
    "pipe2", "poll", "ppoll", "pselect6", "select",
    // sockets
    "getpeername", "getsockname", "getsockopt", "recvfrom", "recvmmsg", "recvmsg", "setsockopt",
    "shutdown", "socketpair"};

/// With these, a process reaches any address. Their filter cannot see the address, which is in
/// memory.
constexpr std::array kAnyAddress{"accept",  "accept4", "bind",  "close",  "close_range",
                                 "connect", "dup2",    "dup3",  "listen", "sendmmsg",
                                 "sendmsg", "sendto",  "socket"};

/// Nothing here makes one of these by accident.
constexpr std::array kDeadly{"bpf",
                             "execve",
                             "execveat",
                             "finit_module",
                             "init_module",
                             "io_uring_setup",
                             "kexec_load",
                             "mount",
                             "move_mount",
                             "open_by_handle_at",
                             "open_tree",
                             "perf_event_open",
                             "pidfd_getfd",
                             "pivot_root",
                             "process_vm_readv",
                             "process_vm_writev",
                             "ptrace",
                             "setns",
                             "umount2",
                             "unshare",
                             "userfaultfd"};

class Filter {
 public:
  Filter() : context_{::seccomp_init(SCMP_ACT_ERRNO(EPERM)), ::seccomp_release} {
    if (!context_) throw std::runtime_error{"seccomp_init fails"};
  }

  template <typename... Arguments>
  void add(std::uint32_t action, const char* name, Arguments... arguments) {
    const int call = ::seccomp_syscall_resolve_name(name);
    if (call == __NR_SCMP_ERROR) return;
    const std::array<scmp_arg_cmp, sizeof...(arguments)> conditions{arguments...};
    const int error = ::seccomp_rule_add_array(context_.get(), action, call, conditions.size(),
                                               conditions.data());
    // A call that this architecture does not have.
    if (error != 0 && error != -EDOM) {
      throw std::runtime_error{std::string{name} + ": " + std::generic_category().message(-error)};
    }
  }

  void load() {
    if (const int error = ::seccomp_load(context_.get()); error != 0) {
      throw std::runtime_error{"seccomp_load: " + std::generic_category().message(-error)};
    }
  }

 private:
  std::unique_ptr<void, void (*)(scmp_filter_ctx)> context_;
};

/// Sockets without addresses, and messages to the server. Its descriptors stay what they are, or
/// another socket could get the number of one.
void allow_connected_sockets(Filter& filter) {
  const auto number = [](int value) { return static_cast<scmp_datum_t>(value); };
  for (const int family : {AF_INET, AF_INET6}) {
    filter.add(SCMP_ACT_ALLOW, "socket", SCMP_A0(SCMP_CMP_EQ, number(family)));
  }
  filter.add(SCMP_ACT_ALLOW, "sendto", SCMP_A4(SCMP_CMP_EQ, 0));
  for (const int fd : {wire::kMediaFd, wire::kAccessFd, wire::kLookupFd}) {
    filter.add(SCMP_ACT_ALLOW, "sendmsg", SCMP_A0(SCMP_CMP_EQ, number(fd)));
  }
  filter.add(SCMP_ACT_ALLOW, "close", SCMP_A0(SCMP_CMP_GT, number(wire::kLastFd)));
  filter.add(SCMP_ACT_ALLOW, "dup2", SCMP_A1(SCMP_CMP_GT, number(wire::kLastFd)));
  filter.add(SCMP_ACT_ALLOW, "dup3", SCMP_A1(SCMP_CMP_GT, number(wire::kLastFd)));
}

}  // namespace

std::string restrict_system_calls(Sockets sockets) {
  try {
    Filter filter;
    for (const char* name : kAllowed) filter.add(SCMP_ACT_ALLOW, name);
    if (sockets == Sockets::kAll) {
      for (const char* name : kAnyAddress) filter.add(SCMP_ACT_ALLOW, name);
    } else {
      allow_connected_sockets(filter);
    }
    for (const char* name : kDeadly) filter.add(SCMP_ACT_KILL_PROCESS, name);
    // Threads, but no processes. The flags of clone3 are in memory, so the C library has to use
    // clone instead.
    filter.add(SCMP_ACT_ALLOW, "clone", SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD));
    filter.add(SCMP_ACT_ERRNO(ENOSYS), "clone3");
    // abort() and pthread_kill(), but no signals to the server or other sources, whose user is
    // ours.
    filter.add(SCMP_ACT_ALLOW, "tgkill",
               SCMP_A0(SCMP_CMP_EQ, static_cast<scmp_datum_t>(::getpid())));
    filter.add(SCMP_ACT_ALLOW, "prctl", SCMP_A0(SCMP_CMP_EQ, PR_SET_NAME));
    filter.add(SCMP_ACT_ALLOW, "prctl", SCMP_A0(SCMP_CMP_EQ, PR_GET_NAME));
    // Of this process, and only to read them.
    filter.add(SCMP_ACT_ALLOW, "prlimit64", SCMP_A0(SCMP_CMP_EQ, 0), SCMP_A2(SCMP_CMP_EQ, 0));
    // Its own priority.
    filter.add(SCMP_ACT_ALLOW, "setpriority", SCMP_A1(SCMP_CMP_EQ, 0));
    filter.load();
    return {};
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

}  // namespace transcoder
