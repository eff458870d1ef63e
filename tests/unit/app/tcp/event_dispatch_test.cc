#include "app/tcp/event_dispatch.h"

#include <gtest/gtest.h>

#include <vector>

#include "fake_event_programs.h"

namespace app {
namespace {

using tcpinfo::CongestionEvent;
using tcpinfo::EventKind;

class EventDispatchTest : public testing::Test {
 protected:
  auto listener() {
    return [this](const CongestionEvent& event, base::Time) { received_.push_back(event.kind); };
  }

  FakeEventPrograms* programs_ = new FakeEventPrograms;  // owned by dispatch_
  EventDispatch dispatch_{std::unique_ptr<tcpinfo::EventPrograms>{programs_}, 2};
  std::vector<EventKind> received_;
};

TEST_F(EventDispatchTest, PassesAnEventToItsViewer) {
  const auto watch = dispatch_.watch(1, 7, 1, listener());
  programs_->rings[1] = {7, 8, 7};
  const auto source = dispatch_.loop_source(1);
  EXPECT_EQ(source->fd(), 101);
  source->on_readable(base::Time{});
  EXPECT_EQ(received_, (std::vector{EventKind::kDupack, EventKind::kDupack}));
}

TEST_F(EventDispatchTest, IgnoresEventsOfAViewerWhoHasLeft) {
  dispatch_.watch(1, 7, 0, listener()).reset();
  programs_->rings[0] = {7};
  dispatch_.loop_source(0)->on_readable(base::Time{});
  EXPECT_TRUE(received_.empty());
}

TEST_F(EventDispatchTest, ReturnsNoWatchIfTheSocketCannotBeWatched) {
  EXPECT_EQ(dispatch_.watch(13, 7, 0, listener()), nullptr);
}

TEST_F(EventDispatchTest, SumsTheEventsLostByAllRings) { EXPECT_EQ(dispatch_.lost(), 3u); }

TEST(EventDispatchWithoutProgramsTest, HasNoLoopSource) {
  EventDispatch dispatch{nullptr, 2};
  EXPECT_EQ(dispatch.watch(1, 7, 0, [](const CongestionEvent&, base::Time) {}), nullptr);
  EXPECT_EQ(dispatch.loop_source(0), nullptr);
  EXPECT_EQ(dispatch.lost(), 0u);
}

}  // namespace
}  // namespace app
