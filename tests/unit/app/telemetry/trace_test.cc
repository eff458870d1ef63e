#include "app/telemetry/trace.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "base/log.h"

namespace app {
namespace {

class TraceTest : public testing::Test {
 protected:
  TraceTest() {
    std::string name = (std::filesystem::temp_directory_path() / "symcast-trace-XXXXXX").string();
    directory_ = ::mkdtemp(name.data());
  }
  ~TraceTest() override { std::filesystem::remove_all(directory_); }

  std::filesystem::path directory_;
};

TEST_F(TraceTest, WritesTheLinesOfASessionInOrder) {
  {
    Trace trace{directory_ / "new"};
    const auto session = trace.open("live", 7);
    for (int i = 0; i < 1000; ++i) trace.write(session, std::to_string(i));
  }
  std::filesystem::directory_iterator files{directory_ / "new"};
  std::ifstream file{files->path()};
  std::string line;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(std::getline(file, line));
    EXPECT_EQ(line, std::to_string(i));
  }
  EXPECT_FALSE(std::getline(file, line));
}

TEST_F(TraceTest, OpensTheFileOfASessionWithItsFirstLine) {
  Trace trace{directory_};
  auto session = trace.open("live", 7);
  EXPECT_TRUE(std::filesystem::is_empty(directory_));
  trace.write(std::move(session), "only");
  while (std::filesystem::is_empty(directory_)) std::this_thread::yield();
}

TEST_F(TraceTest, ClosesTheFileOfASessionWhoseLastLineIsLost) {
  Trace trace{directory_};
  auto session = trace.open("lost", 7);
  trace.write(session, "first");
  while (std::filesystem::is_empty(directory_)) std::this_thread::yield();
  const std::filesystem::directory_iterator files{directory_};
  const auto path = files->path();
  session.reset();
  const auto other = trace.open("live", 8);
  while (std::filesystem::file_size(path) == 0) trace.write(other, "more");
}

TEST_F(TraceTest, NamesTheDirectoryThatCannotBeCreated) {
  try {
    Trace trace{"/proc/nothing/here"};
    FAIL();
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string{e.what()}.find("/proc/nothing/here"), std::string::npos);
  }
}

TEST_F(TraceTest, RejectsADirectoryThatCannotBeWritten) {
  ::chmod(directory_.c_str(), 0500);
  const auto start = [&] {
    (void)::setuid(65534);  // user nobody, because root may write everywhere
    try {
      Trace trace{directory_};
    } catch (const std::runtime_error& e) {
      std::fputs(e.what(), stderr);
      std::_Exit(7);
    }
    std::_Exit(0);
  };
  EXPECT_EXIT(start(), testing::ExitedWithCode(7), "Permission denied");
}

TEST_F(TraceTest, CountsTheLinesOfAFileThatCannotBeWritten) {
  Trace trace{directory_ / "new"};
  std::filesystem::remove(directory_ / "new");
  auto session = trace.open("live", 7);
  trace.write(session, "first");
  trace.write(std::move(session), "last");
  while (trace.lines_lost() < 2) std::this_thread::yield();
}

/// The fields of the next line of the log about lost lines.
std::string failure(const std::function<void()>& fail) {
  std::mutex mutex;
  std::string seen;
  base::log::redirect([&](auto, std::string_view event, base::log::Fields fields) {
    std::lock_guard lock{mutex};
    seen = event;
    for (const auto& field : fields) seen += " " + std::string{field.key()} + "=" + field.value();
  });
  fail();
  base::log::redirect({});
  return seen;
}

TEST_F(TraceTest, SaysWhyALineIsLost) {
  const auto seen = failure([this] {
    Trace trace{directory_ / "new"};
    std::filesystem::remove(directory_ / "new");
    trace.write(trace.open("live", 7), "line");
  });
  EXPECT_NE(seen.find("trace_not_written"), std::string::npos);
  EXPECT_NE(seen.find("error=No such file or directory"), std::string::npos) << seen;
}

TEST_F(TraceTest, LeavesRoomOnTheDisk) {
  const auto seen = failure([this] {
    const base::ByteCount all{std::numeric_limits<std::int64_t>::max()};
    Trace trace{directory_, {.amount = all, .part = 1.1}};
    trace.write(trace.open("live", 7), "line");
  });
  EXPECT_NE(seen.find("error=No space left on device"), std::string::npos) << seen;
  EXPECT_TRUE(std::filesystem::is_empty(directory_));
}

}  // namespace
}  // namespace app
