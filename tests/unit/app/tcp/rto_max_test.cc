#include "app/tcp/rto_max.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>

#include "app/config/config.h"
#include "loopback.h"

namespace app {
namespace {

using namespace std::chrono_literals;

class RtoMaxTest : public testing::Test {
 protected:
  void SetUp() override {
    if (in_force() == 0ms) GTEST_SKIP() << "Linux before 6.15";
  }
  int fd() const { return connection_.sender(); }
  std::chrono::milliseconds in_force() const {
    constexpr int kTcpRtoMaxMs = 44;  // linux/tcp.h; glibc's header is older
    int ms = 0;
    socklen_t length = sizeof ms;
    ::getsockopt(fd(), IPPROTO_TCP, kTcpRtoMaxMs, &ms, &length);
    return std::chrono::milliseconds{ms};
  }

  tcpinfo::Loopback connection_;
  RtoMax rto_max_;
};

TEST_F(RtoMaxTest, IsTheConfiguredOneOnAShortPath) {
  EXPECT_TRUE(rto_max_.begin(fd(), 1s));
  EXPECT_EQ(in_force(), 1s);
  rto_max_.follow(fd(), 0s);
  rto_max_.follow(fd(), 1ms);
  rto_max_.follow(fd(), 333ms);
  EXPECT_EQ(in_force(), 1s);
}

TEST_F(RtoMaxTest, ExceedsALongRoundTrip) {
  rto_max_.begin(fd(), 1s);
  for (const auto rtt : {400ms, 1000ms, 1100ms, 2500ms}) {
    rto_max_.follow(fd(), rtt);
    EXPECT_GE(in_force(), 3 * rtt);
    EXPECT_LE(in_force(), 6 * rtt);
  }
}

TEST_F(RtoMaxTest, ReturnsWhenTheQueueHasDrained) {
  rto_max_.begin(fd(), 1s);
  rto_max_.follow(fd(), 1200ms);
  const auto raised = in_force();
  rto_max_.follow(fd(), 900ms);
  EXPECT_EQ(in_force(), raised) << "no system call for a small change";
  rto_max_.follow(fd(), 100ms);
  EXPECT_EQ(in_force(), 1s);
}

TEST_F(RtoMaxTest, NeverExceedsTheKernels) {
  rto_max_.begin(fd(), 1s);
  rto_max_.follow(fd(), 50s);
  EXPECT_EQ(in_force(), kKernelsRtoMax);
}

TEST_F(RtoMaxTest, LeavesTheKernelsIfConfiguredSo) {
  const auto before = in_force();
  EXPECT_TRUE(rto_max_.begin(fd(), kKernelsRtoMax));
  rto_max_.follow(fd(), 2s);
  EXPECT_EQ(in_force(), before);
}

TEST_F(RtoMaxTest, DoesNothingMoreOnceRefused) {
  const auto before = in_force();
  EXPECT_FALSE(rto_max_.begin(fd(), 1ms));
  EXPECT_EQ(errno, EINVAL);
  rto_max_.follow(fd(), 2s);
  EXPECT_EQ(in_force(), before);
}

}  // namespace
}  // namespace app
