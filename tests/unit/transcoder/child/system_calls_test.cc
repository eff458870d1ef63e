#include "transcoder/child/system_calls.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <thread>

#include "transcoder/wire/descriptors.h"

namespace transcoder {
namespace {

/// The status of a process that makes restricted calls, as of waitpid(2).
int status_of(const std::function<bool()>& calls, Sockets sockets = Sockets::kByServer) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    const rlimit none{};
    ::setrlimit(RLIMIT_CORE, &none);
    if (!restrict_system_calls(sockets).empty()) ::_exit(2);
    ::_exit(calls() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return status;
}

#ifdef SYMCAST_SANITIZED
#define SKIP_IF_SANITIZED() GTEST_SKIP() << "a sanitizer makes other system calls"
#else
#define SKIP_IF_SANITIZED() static_cast<void>(0)
#endif

TEST(SystemCallsTest, ASourceMayMakeItsOwn) {
  SKIP_IF_SANITIZED();
  EXPECT_EQ(status_of([] {
              bool ran = false;
              std::thread{[&] { ran = true; }}.join();
              const int file = ::open("/dev/null", O_RDWR);
              const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
              return ran && file >= 0 && socket >= 0 &&
                     ::pthread_setname_np(::pthread_self(), "x") == 0;
            }),
            0);
}

TEST(SystemCallsTest, OthersFail) {
  SKIP_IF_SANITIZED();
  const auto fails = [](auto call) {
    return status_of([&] { return call() < 0 && errno == EPERM; });
  };
  EXPECT_EQ(fails([] { return ::fork(); }), 0);
  EXPECT_EQ(fails([] { return ::kill(::getppid(), 0); }), 0);
  EXPECT_EQ(fails([] { return ::unlink("/tmp/none"); }), 0);
  EXPECT_EQ(fails([] { return ::chmod("/tmp/none", 0); }), 0);
  EXPECT_EQ(fails([] { return ::socket(AF_UNIX, SOCK_STREAM, 0); }), 0);
  EXPECT_EQ(fails([] { return ::close(wire::kAccessFd); }), 0);
  EXPECT_EQ(fails([] { return ::dup2(0, wire::kLookupFd); }), 0);
  EXPECT_EQ(fails([] {
              const rlimit limit{};
              return ::setrlimit(RLIMIT_NOFILE, &limit);
            }),
            0);
}

TEST(SystemCallsTest, NoCallReachesAnAddress) {
  SKIP_IF_SANITIZED();
  const sockaddr_in loopback{
      .sin_family = AF_INET, .sin_port = htons(9), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  const auto* const to = reinterpret_cast<const sockaddr*>(&loopback);
  const auto attempts = [&](bool may) {
    // Above the channels to the server, on which messages may be sent.
    const int socket = ::fcntl(::socket(AF_INET, SOCK_DGRAM, 0), F_DUPFD, wire::kLookupFd + 1);
    iovec part{.iov_base = nullptr, .iov_len = 0};
    msghdr message{};
    message.msg_name = const_cast<sockaddr*>(to);
    message.msg_namelen = sizeof loopback;
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    const auto as_expected = [&](long result) {
      return may ? result >= 0 : result < 0 && errno == EPERM;
    };
    return as_expected(::sendto(socket, "", 0, 0, to, sizeof loopback)) &&
           as_expected(::sendmsg(socket, &message, 0)) &&
           as_expected(::connect(socket, to, sizeof loopback)) &&
           as_expected(::bind(::socket(AF_INET, SOCK_DGRAM, 0), nullptr, 0)) == !may;
  };
  EXPECT_EQ(status_of([&] { return attempts(false); }), 0);
  EXPECT_EQ(status_of([&] { return attempts(true); }, Sockets::kAll), 0);
}

TEST(SystemCallsTest, ThoseOfAttackersEndTheProcess) {
  SKIP_IF_SANITIZED();
  const int status = status_of([] {
    char program[] = "/bin/true";
    char* const arguments[] = {program, nullptr};
    ::execv(program, arguments);
    return true;
  });
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGSYS);
}

TEST(SystemCallsTest, NoneChangesWhatTheProcessSees) {
  SKIP_IF_SANITIZED();
  const std::function<long()> calls[] = {
      [] { return ::unshare(CLONE_NEWUSER); },
      [] { return ::setns(0, CLONE_NEWNS); },
      [] { return ::mount("tmpfs", "/proc", "tmpfs", 0, nullptr); },
      [] { return ::umount2("/proc", MNT_DETACH); },
      [] { return ::syscall(SYS_pivot_root, ".", "."); },
  };
  for (const auto& call : calls) {
    const int status = status_of([&] { return call() == 0; });
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), SIGSYS);
  }
  EXPECT_EQ(status_of([] { return ::chroot("/") < 0 && errno == EPERM; }), 0);
}

TEST(SystemCallsTest, AnAbortIsOne) {
  SKIP_IF_SANITIZED();
  const int status = status_of([]() -> bool { ::abort(); });
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGABRT);
}

}  // namespace
}  // namespace transcoder
