#include "transcoder/child/system_calls.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <thread>

namespace transcoder {
namespace {

/// The status of a process that makes restricted calls, as of waitpid(2).
int status_of(const std::function<bool()>& calls) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    const rlimit none{};
    ::setrlimit(RLIMIT_CORE, &none);
    if (!restrict_system_calls().empty()) ::_exit(2);
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
  EXPECT_EQ(fails([] {
              const rlimit limit{};
              return ::setrlimit(RLIMIT_NOFILE, &limit);
            }),
            0);
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

TEST(SystemCallsTest, AnAbortIsOne) {
  SKIP_IF_SANITIZED();
  const int status = status_of([]() -> bool { ::abort(); });
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGABRT);
}

}  // namespace
}  // namespace transcoder
