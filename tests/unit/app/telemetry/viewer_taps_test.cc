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
  for (const auto& [viewer, line] : watch.take())
    all.push_back(std::to_string(viewer) + line->text);
  return all;
}

class ViewerTapsTest : public testing::Test {
 protected:
  ViewerTaps taps_;
  std::shared_ptr<ViewerTap> tap_ = taps_.add(kViewer, "live", {"join", " join"});
};

TEST_F(ViewerTapsTest, AnUnknownViewerCannotBeWatched) {
  EXPECT_FALSE(taps_.watch(kViewer + 1));
  taps_.remove(kViewer);
  EXPECT_FALSE(taps_.watch(kViewer));
}

TEST_F(ViewerTapsTest, EachWatcherReceivesTheJoinAndThenEveryLine) {
  auto first = taps_.watch(kViewer);
  tap_->put({"frame", " 1"});
  auto second = taps_.watch(kViewer);
  tap_->put({"frame", " 2"});
  EXPECT_THAT(texts(*first), ElementsAre("7 join", "7 1", "7 2"));
  EXPECT_THAT(texts(*second), ElementsAre("7 join", "7 2"));
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
  for (std::size_t i = 0; i < ViewerTaps::kMaxLinesOfViewer; ++i) {
    tap_->put({"frame", " " + std::to_string(i)});
    if (i == 0) quick->take();
  }
  EXPECT_EQ(taps_.lines_dropped(), 1u);
  EXPECT_EQ(slow->dropped(), 1u);
  EXPECT_EQ(texts(*slow).front(), "7 0") << "the join was dropped";
  EXPECT_EQ(quick->take().size(), ViewerTaps::kMaxLinesOfViewer - 1);
}

TEST_F(ViewerTapsTest, AWatchEndsWhenTheViewerLeaves) {
  auto early = taps_.watch(kViewer);
  EXPECT_FALSE(early->ended());
  tap_->put({"leave", "{}"});
  tap_->end();
  auto late = taps_.watch(kViewer);  // just before the viewer is removed
  EXPECT_TRUE(early->ended());
  EXPECT_EQ(early->take().size(), 2u);
  EXPECT_TRUE(late->ended());
  EXPECT_EQ(late->take().size(), 1u);
}

TEST_F(ViewerTapsTest, AWatcherOfAStreamFollowsItsViewers) {
  const auto elsewhere = taps_.add(8, "camera", {"join", " join"});
  auto watch = taps_.watch_stream("live");
  const auto later = taps_.add(9, "live", {"join", " join"});
  tap_->put({"frame", " 1"});
  elsewhere->put({"frame", " 2"});
  later->put({"frame", " 3"});
  EXPECT_THAT(texts(watch), ElementsAre("7 join", "9 join", "7 1", "9 3"));
  taps_.remove(kViewer);
  tap_->end();
  EXPECT_FALSE(watch.ended());
}

TEST_F(ViewerTapsTest, AWatcherOfAStreamTakesALimitedNumberOfViewers) {
  taps_.remove(kViewer);
  std::vector<std::shared_ptr<ViewerTap>> taps;
  const auto join = [&](std::size_t id) {
    return taps.emplace_back(taps_.add(id, "live", {"join", " join"}));
  };
  std::size_t id = 1;
  for (; id <= ViewerTaps::kMaxViewersOfStream; ++id) EXPECT_FALSE(join(id)->watched());
  {
    auto watch = taps_.watch_stream("live");
    EXPECT_TRUE(taps.back()->watched());
    EXPECT_FALSE(join(id++)->watched());
    taps_.remove(1);
    EXPECT_TRUE(join(id)->watched()) << "there is room again";
    EXPECT_EQ(watch.take().size(), ViewerTaps::kMaxViewersOfStream + 1);
  }
  for (const auto& tap : taps) EXPECT_FALSE(tap->watched() && tap != taps.front());
}

TEST_F(ViewerTapsTest, WatchersComeAndGoWhileLinesAreMade) {
  std::jthread watcher{[this](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      taps_.watch(kViewer)->take();
      taps_.watch_stream("live").take();
    }
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
