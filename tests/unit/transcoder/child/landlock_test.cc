#include "transcoder/child/landlock.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <vector>

namespace transcoder {
namespace {

/// errno of an attempt to open a file; 0 if it works.
int try_open(const std::string& path, int flags = O_RDONLY) {
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC, 0600);
  if (fd < 0) return errno;
  ::close(fd);
  return 0;
}

struct LandlockTest : testing::Test {
  LandlockTest() {
    std::filesystem::create_directories(folder / "in");
    std::filesystem::create_directories(folder / "out");
    for (const auto* name : {"in/file", "out/file", "one"}) std::ofstream{folder / name} << 'x';
    std::filesystem::create_symlink(folder / "out/file", folder / "in/link");
  }
  ~LandlockTest() override { std::filesystem::remove_all(folder); }

  /// The bits of the checks that fail in a process that may only read `paths`.
  unsigned failures(const std::vector<std::string>& paths,
                    const std::vector<std::function<bool()>>& checks) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      unsigned failed = 0;
      if (!allow_reading_only(paths)) ::_exit(255);
      for (std::size_t i = 0; i < checks.size(); ++i) failed |= checks[i]() ? 0U : 1U << i;
      ::_exit(static_cast<int>(failed));
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    return static_cast<unsigned>(WEXITSTATUS(status));
  }

  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("landlock." + std::to_string(::getpid()));
};

TEST_F(LandlockTest, OpensOnlyWhatIsAllowed) {
  if (landlock_version() == 0) GTEST_SKIP() << "this kernel has no Landlock";
  EXPECT_EQ(failures({folder / "in", folder / "one", "/not/there", "/dev/null"},
                     {
                         [&] { return try_open(folder / "in/file") == 0; },
                         [&] { return try_open(folder / "one") == 0; },
                         [&] { return try_open(folder / "out/file") == EACCES; },
                         [&] { return try_open(folder / "in/link") == EACCES; },
                         [&] { return try_open(folder / "in/file", O_WRONLY) == EACCES; },
                         [&] { return try_open(folder / "in/new", O_WRONLY | O_CREAT) == EACCES; },
                         [&] { return try_open("/dev/null", O_RDWR) == 0; },
                     }),
            0u);
}

TEST_F(LandlockTest, AFileThatIsNotThereIsReportedAsSuch) {
  if (landlock_version() == 0) GTEST_SKIP() << "this kernel has no Landlock";
  EXPECT_EQ(failures({}, {[&] { return try_open(folder / "out/none") == ENOENT; }}), 0u);
}

}  // namespace
}  // namespace transcoder
