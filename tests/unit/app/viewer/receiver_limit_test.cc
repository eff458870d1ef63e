#include "app/viewer/receiver_limit.h"

#include <gtest/gtest.h>

namespace app {
namespace {

using namespace std::chrono_literals;

class ReceiverLimitTest : public testing::Test {
 protected:
  /// A sample so long after the last, in which the window was shut for `held`.
  bool after(base::Duration time, base::Duration held) {
    sample_.at += time;
    sample_.receiver_limited += held;
    return limit_.update(sample_, 33ms);
  }

  ReceiverLimit limit_;
  tcpinfo::TcpSample sample_{.at = base::Time{1h}, .receiver_limited = 5s};
};

TEST_F(ReceiverLimitTest, WhatWasBeforeTheFirstSampleDoesNotCount) {
  EXPECT_FALSE(after(0ms, 0ms));
}

TEST_F(ReceiverLimitTest, LimitsWhoDoesNotReadForMostOfTheTime) {
  after(0ms, 0ms);
  EXPECT_FALSE(after(33ms, 10ms));
  EXPECT_TRUE(after(33ms, 30ms));
  EXPECT_TRUE(after(150ms, 120ms));
  EXPECT_FALSE(after(150ms, 40ms)) << "a frame's time, but he reads";
}

// One before a frame, one when it is acknowledged; a jiffy is 4 ms.
TEST_F(ReceiverLimitTest, SamplesCloseToEachOtherTellTheSame) {
  after(0ms, 0ms);
  EXPECT_TRUE(after(33ms, 33ms));
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(after(10ms, 8ms));
    EXPECT_TRUE(after(2ms, 0ms));
    EXPECT_TRUE(after(21ms, 24ms));
  }
}

}  // namespace
}  // namespace app
