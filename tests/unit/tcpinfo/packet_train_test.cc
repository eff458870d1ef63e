#include "tcpinfo/packet_train.h"

#include <gtest/gtest.h>

namespace tcpinfo {
namespace {

using namespace std::chrono_literals;
using base::BitRate;
using base::ByteCount;

TEST(TrainHeadTest, HeadAndTailHaveTwoSegmentsEach) {
  EXPECT_EQ(train_head(ByteCount{4 * 1448}, 1448).bytes(), 2 * 1448);
  EXPECT_EQ(train_head(ByteCount{4 * 1448 - 1}, 1448).bytes(), 0);
  EXPECT_EQ(train_head(ByteCount{100'000}, 0).bytes(), 0) << "the MSS is not known yet";
}

}  // namespace
}  // namespace tcpinfo
