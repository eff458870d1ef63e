#include "app/trace.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/unique_fd.h"

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

TEST_F(TraceTest, WritesEachSessionsLinesInOrder) {
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

TEST_F(TraceTest, SaysWhichDirectoryCannotBeMade) {
  try {
    Trace trace{"/proc/nothing/here"};
    FAIL();
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string{e.what()}.find("/proc/nothing/here"), std::string::npos);
  }
}

}  // namespace
}  // namespace app
