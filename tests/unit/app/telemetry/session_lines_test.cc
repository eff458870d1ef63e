#include "app/telemetry/session_lines.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <optional>

#include "test_files.h"

namespace app {
namespace {

constexpr server::ViewerId kViewer = 7;

class SessionLinesTest : public testing::Test {
 protected:
  void put(SessionLines& lines) {
    lines.put([this] {
      ++made_;
      return trace_line::Line{"frame", "frame"};
    });
  }

  ViewerTaps taps_;
  int made_ = 0;
};

TEST_F(SessionLinesTest, MakesNoLinesWhileNobodyReadsThem) {
  SessionLines lines{nullptr, taps_, kViewer};
  put(lines);
  lines.begin("live", {"join", "{}"});
  put(lines);
  {
    const auto watch = taps_.watch(kViewer);
    put(lines);
  }
  put(lines);
  EXPECT_EQ(made_, 1);
}

TEST_F(SessionLinesTest, AWatcherReceivesLinesUntilTheViewerLeaves) {
  auto lines = std::make_optional<SessionLines>(nullptr, taps_, kViewer);
  lines->begin("live", {"join", "{}"});
  auto watch = taps_.watch(kViewer);
  put(*lines);
  lines->end({"leave", "{}"});
  EXPECT_EQ(watch->take().size(), 3u);
  lines.reset();
  EXPECT_TRUE(watch->ended());
  EXPECT_FALSE(taps_.watch(kViewer));
}

TEST_F(SessionLinesTest, TheTraceReceivesAllLinesWithOrWithoutWatchers) {
  const TemporaryFile files;
  {
    Trace trace{files.directory()};
    SessionLines lines{&trace, taps_, kViewer};
    lines.begin("live", {"join", "joined"});
    put(lines);
    const auto watch = taps_.watch(kViewer);
    put(lines);
    lines.end({"leave", "left"});
    EXPECT_EQ(made_, 2);
  }
  std::ifstream file{std::filesystem::directory_iterator{files.directory()} -> path()};
  const std::string text{std::istreambuf_iterator{file}, {}};
  EXPECT_EQ(text, "joined\nframe\nframe\nleft\n");
}

}  // namespace
}  // namespace app
