#include "transcoder/access/token_bucket.h"

#include <gtest/gtest.h>

namespace transcoder::access {
namespace {

using namespace std::chrono_literals;

const base::Time kBegin{std::chrono::hours{1}};

TEST(TokenBucketTest, LetsABurstPassAndThenOnePerInterval) {
  TokenBucket bucket{3, 100ms};
  for (int i = 0; i < 3; ++i) EXPECT_EQ(bucket.take(kBegin), 0ms);
  EXPECT_EQ(bucket.take(kBegin), 100ms);
  EXPECT_EQ(bucket.take(kBegin), 200ms);
  EXPECT_EQ(bucket.take(kBegin + 250ms), 50ms);
}

TEST(TokenBucketTest, RefillsUpToTheBurst) {
  TokenBucket bucket{2, 100ms};
  bucket.take(kBegin);
  const auto later = kBegin + std::chrono::hours{1};
  EXPECT_EQ(bucket.take(later), 0ms);
  EXPECT_EQ(bucket.take(later), 0ms);
  EXPECT_EQ(bucket.take(later), 100ms);
}

TEST(TokenBucketTest, ARefusedOneCostsNothing) {
  TokenBucket bucket{1, 100ms};
  EXPECT_TRUE(bucket.try_take(kBegin));
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(bucket.try_take(kBegin + 50ms));
  EXPECT_TRUE(bucket.try_take(kBegin + 100ms));
}

}  // namespace
}  // namespace transcoder::access
