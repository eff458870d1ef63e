#include "app/telemetry/viewer_taps.h"

#include <gmock/gmock.h>

#include <string>
#include <thread>
#include <vector>

namespace app {
namespace {

using testing::ElementsAre;

constexpr server::ViewerId kViewer = 7;

std::vector<std::string> texts(ViewerWatch& watch) {
  std::vector<std::string> all;
  for (const auto& line : watch.take()) all.emplace_back(line.bytes.begin(), line.bytes.end());
  return all;
}

class ViewerTapsTest : public testing::Test {
 protected:
  ViewerTaps taps_;
  std::shared_ptr<ViewerTap> tap_ = taps_.add(kViewer, {"join", "{}"});
};

TEST_F(ViewerTapsTest, AnUnknownViewerCannotBeWatched) {
  EXPECT_FALSE(taps_.watch(kViewer + 1));
  taps_.remove(kViewer);
  EXPECT_FALSE(taps_.watch(kViewer));
}

TEST_F(ViewerTapsTest, EachWatcherReceivesTheJoinAndThenEveryLine) {
  auto first = taps_.watch(kViewer);
  tap_->put({"frame", "1"});
  auto second = taps_.watch(kViewer);
  tap_->put({"frame", "2"});
  const std::string join = "event: join\ndata: {}\n\n";
  EXPECT_THAT(texts(*first),
              ElementsAre(join, "event: frame\ndata: 1\n\n", "event: frame\ndata: 2\n\n"));
  EXPECT_THAT(texts(*second), ElementsAre(join, "event: frame\ndata: 2\n\n"));
  EXPECT_THAT(texts(*first), ElementsAre());
}

TEST_F(ViewerTapsTest, KnowsWhetherSomebodyWatches) {
  EXPECT_FALSE(tap_->watched());
  {
    const auto first = taps_.watch(kViewer);
    {
      const auto second = taps_.watch(kViewer);
      EXPECT_TRUE(tap_->watched());
    }
    EXPECT_TRUE(tap_->watched());
  }
  EXPECT_FALSE(tap_->watched());
}

TEST_F(ViewerTapsTest, OnlyASlowWatcherLosesItsOldestLines) {
  auto slow = taps_.watch(kViewer);
  auto quick = taps_.watch(kViewer);
  for (std::size_t i = 0; i < ViewerTap::kMaxLinesPerWatcher; ++i) {
    tap_->put({"frame", std::to_string(i)});
    if (i == 0) quick->take();
  }
  EXPECT_EQ(taps_.lines_dropped(), 1u);
  EXPECT_EQ(texts(*slow).front(), "event: frame\ndata: 0\n\n") << "the join was dropped";
  EXPECT_EQ(quick->take().size(), ViewerTap::kMaxLinesPerWatcher - 1);
}

TEST_F(ViewerTapsTest, AWatchEndsWhenTheViewerLeaves) {
  auto early = taps_.watch(kViewer);
  EXPECT_FALSE(early->ended());
  tap_->put({"leave", "{}"});
  tap_->end();
  auto late = ViewerWatch{tap_};  // as if found just before the viewer left
  EXPECT_TRUE(early->ended());
  EXPECT_EQ(early->take().size(), 2u);
  EXPECT_TRUE(late.ended());
  EXPECT_EQ(late.take().size(), 1u);
}

TEST_F(ViewerTapsTest, WatchersComeAndGoWhileLinesAreMade) {
  std::jthread watcher{[this](const std::stop_token& stop) {
    while (!stop.stop_requested()) taps_.watch(kViewer)->take();
  }};
  for (int i = 0; i < 1000; ++i) {
    if (tap_->watched()) tap_->put({"frame", "{}"});
  }
  watcher.request_stop();
  watcher.join();
  EXPECT_FALSE(tap_->watched());
}

}  // namespace
}  // namespace app
