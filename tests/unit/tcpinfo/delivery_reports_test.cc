#include <gtest/gtest.h>
#include <linux/net_tstamp.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "loopback.h"
#include "tcpinfo/delivery.h"

namespace tcpinfo {
namespace {

using namespace std::chrono_literals;

class DeliveryReportsTest : public testing::Test {
 protected:
  void enable() {
    reports_ = DeliveryReports::enable(path_.sender(), sent_);
    ASSERT_TRUE(reports_) << std::strerror(errno);
  }

  void send_marked(const std::string& text) {
    const std::uint32_t flags = SOF_TIMESTAMPING_TX_ACK;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof flags)> control{};
    iovec piece{const_cast<char*>(text.data()), text.size()};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    *CMSG_FIRSTHDR(&message) = {
        .cmsg_len = CMSG_LEN(sizeof flags), .cmsg_level = SOL_SOCKET, .cmsg_type = SO_TIMESTAMPING};
    std::memcpy(CMSG_DATA(CMSG_FIRSTHDR(&message)), &flags, sizeof flags);
    ASSERT_EQ(::sendmsg(path_.sender(), &message, MSG_EOR), static_cast<ssize_t>(text.size()));
    sent_ += text.size();
  }

  /// Reads until `count` deliveries have arrived or `timeout` is over.
  std::vector<Delivery> read(std::size_t count, base::Duration timeout = 30s) {
    std::vector<Delivery> found;
    const auto deadline = base::Clock::now() + timeout;
    while (found.size() < count && base::Clock::now() < deadline) {
      reports_->read(path_.sender(), sent_, [&](const Delivery& d) { found.push_back(d); });
      std::this_thread::sleep_for(1ms);
    }
    return found;
  }

  static constexpr std::uint64_t kEarlierBytes =
      (1ull << 32) - 1500;  ///< bytes of earlier responses

  Loopback path_;
  std::uint64_t sent_ = kEarlierBytes;
  std::optional<DeliveryReports> reports_;
};

TEST_F(DeliveryReportsTest, ReportsTheEndOfEachMarkedWrite) {
  enable();
  const auto begin = base::Clock::now();
  for (int i = 0; i < 20; ++i) send_marked(std::string(1000, 'x'));
  const auto found = read(20);
  ASSERT_EQ(found.size(), 20u);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(found[i].end, kEarlierBytes + 1000 * (i + 1));
    EXPECT_GE(found[i].at, begin - 1ms);
    EXPECT_LE(found[i].at, base::Clock::now());
  }
}

TEST_F(DeliveryReportsTest, AWriteAfterALossIsReportedOnceTheLossIsRecovered) {
  enable();
  path_.lose('a');
  send_marked("a");
  send_marked("b");
  EXPECT_TRUE(read(1, 20ms).empty());
  const auto recovered = base::Clock::now();
  path_.lose_nothing();
  const auto found = read(2);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_GE(found[1].at, recovered - 1ms);
}

TEST_F(DeliveryReportsTest, DoesNotReportUnmarkedWrites) {
  enable();
  path_.send("unmarked");
  sent_ += 8;
  send_marked("marked");
  const auto found = read(1);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].end, kEarlierBytes + 14);
}

TEST_F(DeliveryReportsTest, CountsOffsetsFromTheBytesWritten) {
  path_.lose('u');
  path_.send("unacknowledged");
  sent_ += 14;
  reports_ = DeliveryReports::enable(path_.sender(), sent_);
  if (!reports_) {
    ASSERT_EQ(errno, EBUSY);
    GTEST_SKIP() << "before Linux 6.2 ids would count from the acknowledged bytes";
  }
  path_.lose_nothing();
  send_marked("marked");
  const auto found = read(1);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].end, kEarlierBytes + 20);
}

TEST(DeliveryReportsErrorTest, FailsWithErrnoOnABadDescriptor) {
  errno = 0;
  EXPECT_FALSE(DeliveryReports::enable(-1, 0));
  EXPECT_EQ(errno, EBADF);
}

}  // namespace
}  // namespace tcpinfo
