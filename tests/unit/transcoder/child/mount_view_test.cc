#include "transcoder/child/mount_view.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <system_error>
#include <vector>

#include "base/unique_fd.h"
#include "transcoder/child/confinement.h"

namespace transcoder {
namespace {

namespace fs = std::filesystem;

/// errno of an attempt to open a file; 0 if it works.
int try_open(const fs::path& path, int flags = O_RDONLY) {
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC, 0600);
  if (fd < 0) return errno;
  ::close(fd);
  return 0;
}

std::string text_of(const fs::path& path) {
  std::string text;
  std::getline(std::ifstream{path}, text);
  return text;
}

int exit_code(const std::function<int()>& run) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(run());
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

/// The kernel of this process has no such system call from now on.
bool forget(const char* system_call) {
  const auto filter = ::seccomp_init(SCMP_ACT_ALLOW);
  return ::seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS),
                            ::seccomp_syscall_resolve_name(system_call), 0) == 0 &&
         ::seccomp_load(filter) == 0;
}

struct MountViewTest : testing::Test {
  MountViewTest() {
    fs::create_directories(folder / "in/deep");
    fs::create_directories(folder / "out");
    for (const auto* name : {"in/file", "in/deep/file", "out/file", "one"}) {
      std::ofstream{folder / name} << name;
    }
    fs::create_symlink(folder / "out/file", folder / "in/away");
    fs::create_directory_symlink("in", folder / "link");
    fs::create_directory_symlink(folder / "link", folder / "long_way");
  }
  ~MountViewTest() override { fs::remove_all(folder); }

  void SetUp() override {
    const auto user = std::to_string(::geteuid());
    const auto mounts = [&] {
      if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return 1;
      const base::UniqueFd map{::open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC)};
      const auto line = user + ' ' + user + " 1";
      if (::write(map.get(), line.data(), line.size()) < 0) return 2;
      return ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 ? 0 : 3;
    };
    if (exit_code(mounts) != 0) GTEST_SKIP() << "this machine forbids mounts in user namespaces";
  }

  /// The bits of the checks that fail in a process that sees only `paths`.
  unsigned failures(const std::vector<std::string>& paths,
                    const std::vector<std::function<bool()>>& checks) {
    return static_cast<unsigned>(exit_code([&] {
      if (const auto why = see_only(paths); !why.empty()) {
        ADD_FAILURE() << why;
        return 255;
      }
      unsigned failed = 0;
      for (std::size_t i = 0; i < checks.size(); ++i) failed |= checks[i]() ? 0U : 1U << i;
      return static_cast<int>(failed);
    }));
  }

  const fs::path folder = fs::temp_directory_path() / ("mount_view." + std::to_string(::getpid()));
};

TEST_F(MountViewTest, FindsOnlyWhatIsAllowed) {
  EXPECT_EQ(failures({folder / "in", folder / "one", "/not/there", "/dev/null", folder / "in/deep"},
                     {
                         [&] { return text_of(folder / "in/file") == "in/file"; },
                         [&] { return text_of(folder / "in/deep/file") == "in/deep/file"; },
                         [&] { return text_of(folder / "one") == "one"; },
                         [&] { return try_open(folder / "out/file") == ENOENT; },
                         [&] { return try_open(folder / "in/away") == ENOENT; },
                         [&] { return try_open("/dev/null", O_RDWR) == 0; },
                         [&] { return try_open("/etc/passwd") == ENOENT; },
                     }),
            0u);
}

TEST_F(MountViewTest, WritesNothing) {
  EXPECT_EQ(failures({folder / "in", folder / "one"},
                     {
                         [&] { return try_open(folder / "in/file", O_WRONLY) == EROFS; },
                         [&] { return try_open(folder / "one", O_WRONLY) == EROFS; },
                         [&] { return try_open(folder / "in/new", O_WRONLY | O_CREAT) == EROFS; },
                         [&] { return try_open(folder / "new", O_WRONLY | O_CREAT) == EROFS; },
                         [] { return try_open("/new", O_WRONLY | O_CREAT) == EROFS; },
                     }),
            0u);
}

TEST_F(MountViewTest, SymbolicLinksLeadWhereTheyDid) {
  EXPECT_EQ(failures({folder / "long_way/file", folder / "out/../one"},
                     {
                         [&] { return text_of(folder / "long_way/file") == "in/file"; },
                         [&] { return text_of(folder / "link/file") == "in/file"; },
                         [&] { return text_of(folder / "out/../one") == "one"; },
                         [&] { return try_open(folder / "link/deep/file") == ENOENT; },
                         [&] { return try_open(folder / "out/file") == ENOENT; },
                     }),
            0u);
  EXPECT_EQ(failures({folder / "in/away", folder / "in"},  // the folder covers the way
                     {
                         [&] { return text_of(folder / "in/away") == "out/file"; },
                         [&] { return text_of(folder / "in/file") == "in/file"; },
                     }),
            0u);
}

TEST_F(MountViewTest, AFileThatAppearsLaterIsThere) {
  std::array<int, 2> done{};
  ASSERT_EQ(::pipe(done.data()), 0);
  std::array<int, 2> ready{};
  ASSERT_EQ(::pipe(ready.data()), 0);
  const pid_t pid = ::fork();
  if (pid == 0) {
    const std::vector<std::string> paths{folder / "in"};
    char byte = see_only(paths).empty() ? 1 : 0;
    const bool told = ::write(ready[1], &byte, 1) == 1 && ::read(done[0], &byte, 1) == 1;
    ::_exit(told && text_of(folder / "in/late") == "late" ? 0 : 1);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_EQ(byte, 1);
  std::ofstream{folder / "in/late"} << "late";
  ASSERT_EQ(::write(done[1], &byte, 1), 1);
  int status = 0;
  ::waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
  for (const int fd : {done[0], done[1], ready[0], ready[1]}) ::close(fd);
}

TEST_F(MountViewTest, TheProcessStaysWhatItIs) {
  const auto user = ::geteuid();
  const auto group = ::getegid();
  const base::UniqueFd open{::open((folder / "out/file").c_str(), O_RDONLY | O_CLOEXEC)};
  ASSERT_EQ(::chdir((folder / "in").c_str()), 0);
  EXPECT_EQ(
      failures(
          {folder / "in/file", "/proc/self"},
          {
              [&] { return ::geteuid() == user && ::getegid() == group; },
              [&] { return fs::read_symlink("/proc/self").string() == std::to_string(::getpid()); },
              [&] { return try_open("/proc/self/fd/" + std::to_string(open.get())) == 0; },
              [] { return try_open("/proc/1") == ENOENT; },
              [] { return text_of("file") == "in/file"; },
              [] { return try_open("../out/file") == ENOENT; },
              [] { return ::mount("tmpfs", "/proc", "tmpfs", 0, nullptr) != 0; },
          }),
      0u);
  EXPECT_EQ(::chdir("/"), 0);
}

TEST_F(MountViewTest, TheKernelStillEndsItWithItsParent) {
  const auto run = [&] {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const std::vector<std::string> paths{folder / "in"};
    if (!see_only(paths).empty()) return 1;
    int sign = 0;
    ::prctl(PR_GET_PDEATHSIG, &sign);
    return sign == SIGKILL && ::prctl(PR_GET_DUMPABLE) == 1 ? 0 : 2;
  };
  EXPECT_EQ(exit_code(run), 0);
}

TEST_F(MountViewTest, AProcessWhereItFailsSeesWhatItSaw) {
  for (const char* call : {"mount", "pivot_root", "mount_setattr", "umount2"}) {
    const auto run = [&] {
      if (::chdir(folder.c_str()) != 0 || !forget(call)) return 1;
      const std::vector<std::string> paths{folder / "in"};
      if (!see_only(paths).ends_with(std::generic_category().message(ENOSYS))) return 2;
      const bool all = text_of(folder / "out/file") == "out/file" && text_of("one") == "one" &&
                       try_open("/proc/self/status") == 0 && try_open("/proc/1/status") == 0;
      return all && fs::current_path() == folder ? 0 : 3;
    };
    EXPECT_EQ(exit_code(run), 0) << call;
  }
}

TEST_F(MountViewTest, TheWholeMachineIsNoView) {
  const std::vector<std::string> paths{folder / "in", "/"};
  EXPECT_EQ(exit_code([&] { return see_only(paths) == "/ is the whole machine" ? 0 : 1; }), 0);
}

#ifndef SYMCAST_SANITIZED
TEST_F(MountViewTest, IsTheBarrierWithoutLandlock) {
  const auto run = [&] {
    if (!forget("landlock_create_ruleset")) return 1;
    const auto isolation = confine("file:" + (folder / "one").string(), {folder / "in"});
    if (isolation != Isolation{FileBarrier::kMountNamespace, true}) return 2;
    const bool only = text_of(folder / "one") == "one" &&
                      text_of(folder / "in/file") == "in/file" &&
                      try_open(folder / "out/file") == ENOENT;
    return only && try_open("/lib") == 0 && try_open("/proc/self/status") == 0 ? 0 : 3;
  };
  EXPECT_EQ(exit_code(run), 0);
}
#endif

}  // namespace
}  // namespace transcoder
