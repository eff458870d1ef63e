#include "transcoder/process/memory_group.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace transcoder {
namespace {

namespace fs = std::filesystem;

constexpr base::ByteCount kMemory{32 << 20};
constexpr int kMaxThreads = 8;

void write_line(const fs::path& file, const std::string& text) { std::ofstream{file} << text; }

/// In a control group that holds this process and no other, as systemd delegates it.
struct MemoryGroupTest : testing::Test {
  void SetUp() override {
    before_ = base::ControlGroup::own();
    if (const auto why = MemoryGroups::unavailable(before_); !why.empty()) GTEST_SKIP() << why;
    if (::geteuid() != 0) GTEST_SKIP() << "only root makes the group that is delegated";
    const fs::path parent{before_.mount};
    write_line(parent / "cgroup.subtree_control", "+memory +pids");
    folder_ = parent / ("symcast-test-" + std::to_string(::getpid()));
    fs::create_directory(folder_);
    write_line(folder_ / "cgroup.procs", std::to_string(::getpid()));
  }

  void TearDown() override {
    if (folder_.empty()) return;
    write_line(fs::path{before_.mount + before_.path} / "cgroup.procs", std::to_string(::getpid()));
    for (const auto& below : fs::directory_iterator{folder_}) {
      if (below.is_directory()) ::rmdir(below.path().c_str());
    }
    EXPECT_EQ(::rmdir(folder_.c_str()), 0);
  }

  /// A process in `group` that does `deed` once it is there. Its exit status is wait(2)'s.
  static int run_in(const MemoryGroup& group, const std::function<int()>& deed) {
    int go[2];
    EXPECT_EQ(::pipe(go), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      char byte = 0;
      ::_exit(::read(go[0], &byte, 1) == 1 ? deed() : EXIT_FAILURE);
    }
    EXPECT_TRUE(group.add(child));
    EXPECT_EQ(::write(go[1], "", 1), 1);
    int status = 0;
    ::waitpid(child, &status, 0);
    ::close(go[0]);
    ::close(go[1]);
    return status;
  }

  static int allocate(std::size_t size) {
    std::vector<char> memory(size, 'x');
    return std::ranges::count(memory, 'x') == static_cast<std::ptrdiff_t>(size) ? 0 : 1;
  }

  std::ptrdiff_t groups() const {
    return std::ranges::count_if(fs::directory_iterator{folder_}, [](const auto& entry) {
      return entry.path().filename().native().starts_with("source-");
    });
  }

  base::ControlGroup before_;
  fs::path folder_;
};

TEST_F(MemoryGroupTest, EndsAProcessThatUsesTooMuchMemory) {
  const auto groups = MemoryGroups::open(base::ControlGroup::own());
  ASSERT_TRUE(groups) << groups.error();
  EXPECT_EQ(base::ControlGroup::own().path, "/" + folder_.filename().native() + "/server");
  auto group = (*groups)->make({.memory = kMemory, .threads = kMaxThreads});
  ASSERT_TRUE(group) << group.error();
  EXPECT_EQ(run_in(**group, [] { return allocate(16 << 20); }), 0);
  EXPECT_FALSE((*group)->exceeded());
  EXPECT_EQ(run_in(**group, [] { return allocate(64 << 20); }), SIGKILL);
  EXPECT_TRUE((*group)->exceeded());
  EXPECT_EQ(this->groups(), 1);
  group->reset();
  EXPECT_EQ(this->groups(), 0);
}

TEST_F(MemoryGroupTest, RefusesThreads) {
  const auto groups = MemoryGroups::open(base::ControlGroup::own());
  ASSERT_TRUE(groups) << groups.error();
  const auto group = (*groups)->make({.memory = kMemory, .threads = kMaxThreads});
  ASSERT_TRUE(group) << group.error();
  const auto start_threads = [](int count) {
    return [count] {
      try {
        std::vector<std::jthread> threads;
        for (int i = 0; i < count; ++i) {
          threads.emplace_back([](const std::stop_token& stop) {
            while (!stop.stop_requested()) ::usleep(1000);
          });
        }
      } catch (const std::system_error&) {
        return 3;
      }
      return 0;
    };
  };
  EXPECT_EQ(run_in(**group, start_threads(kMaxThreads - 1)), 0);
  EXPECT_EQ(WEXITSTATUS(run_in(**group, start_threads(kMaxThreads))), 3);
}

TEST_F(MemoryGroupTest, AGroupWithAProcessIsRemovedLater) {
  const auto groups = MemoryGroups::open(base::ControlGroup::own());
  ASSERT_TRUE(groups) << groups.error();
  auto group = (*groups)->make({.memory = kMemory, .threads = kMaxThreads});
  ASSERT_TRUE(group) << group.error();
  const pid_t child = ::fork();
  if (child == 0) {
    for (;;) ::pause();
  }
  ASSERT_TRUE((*group)->add(child));
  group->reset();
  EXPECT_EQ(this->groups(), 1);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  {
    const auto next = (*groups)->make({.memory = kMemory, .threads = kMaxThreads});
    ASSERT_TRUE(next) << next.error();
    EXPECT_FALSE((*next)->add(child)) << "it has ended";
    EXPECT_EQ(this->groups(), 1);
  }
  EXPECT_EQ(this->groups(), 0);
}

TEST_F(MemoryGroupTest, AGroupWithOtherProcessesIsNotTaken) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (;;) ::pause();
  }
  const auto own = base::ControlGroup::own();
  const auto groups = MemoryGroups::open(own);
  ASSERT_FALSE(groups);
  EXPECT_EQ(groups.error(), folder_.native() + " has other processes");
  EXPECT_EQ(base::ControlGroup::own().path, own.path);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST(MemoryGroupsTest, WithoutControlGroupsThereIsAReason) {
  const auto groups = MemoryGroups::open({});
  ASSERT_FALSE(groups);
  EXPECT_EQ(groups.error(), "control groups (version 2) are not mounted");
}

}  // namespace
}  // namespace transcoder
