#include "app/viewer/padding_watch.h"

#include <gtest/gtest.h>

namespace app {
namespace {

using base::ByteCount;

TEST(PaddingWatchTest, PaddingIsUnderWayUntilItIsAcknowledged) {
  PaddingWatch watch;
  server::ViewerState state;
  state.sent = ByteCount{10'000};
  EXPECT_EQ(watch.under_way(state, 9'000).bytes(), 0);
  state.padding = ByteCount{4'000};
  state.sent = ByteCount{16'000};
  EXPECT_EQ(watch.under_way(state, 10'000).bytes(), 4'000);
  EXPECT_EQ(watch.under_way(state, 15'999).bytes(), 4'000);
  EXPECT_EQ(watch.under_way(state, 16'000).bytes(), 0);
}

TEST(PaddingWatchTest, WhatTheKernelHasNotTakenIsUnderWayToo) {
  PaddingWatch watch;
  server::ViewerState state;
  state.padding = ByteCount{4'000};
  state.sent = ByteCount{10'000};
  state.queued = ByteCount{5'000};
  EXPECT_EQ(watch.under_way(state, 10'000).bytes(), 4'000);
  state.sent = ByteCount{15'000};
  state.queued = {};
  EXPECT_EQ(watch.under_way(state, 15'000).bytes(), 0);
}

}  // namespace
}  // namespace app
