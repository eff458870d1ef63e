#include "tcpinfo/delivery.h"

#include <gtest/gtest.h>
#include <linux/net_tstamp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "loopback.h"

namespace tcpinfo {
namespace {

using namespace std::chrono_literals;

std::vector<std::byte> bytes(const std::string& hex) {
  std::vector<std::byte> out;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    out.push_back(static_cast<std::byte>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return out;
}

// As Linux 6.18 reported a first write of 1000 bytes: time stamps, then the error.
const std::string kTimestamps =
    "400000000000000001000000250000003c85006b0000000046d4bf3a00000000"
    "0000000000000000000000000000000000000000000000000000000000000000";
const std::string kIpv4 =
    "3000000000000000000000000b0000002a0000000400000002000000e7030000"
    "00000000000000000000000000000000";
const std::string kIpv6 =
    "3c0000000000000029000000190000002a0000000400000002000000e7030000"
    "0000000000000000000000000000000000000000000000000000000000000000";

TEST(ParseAckReportTest, ReadsTheKernelsOverEitherProtocol) {
  for (const auto& error : {kIpv4, kIpv6}) {
    auto control = bytes(kTimestamps + error);
    const auto report = parse_ack_report(control);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->id, 999u);
    EXPECT_EQ(report->realtime, 1795196220s + 985650246ns);
  }
}

TEST(ParseAckReportTest, SkipsWhatIsNoReport) {
  auto icmp = bytes(kTimestamps + kIpv4);
  icmp[0x40 + 16 + 4] = std::byte{2};  // ee_origin: ICMP
  EXPECT_FALSE(parse_ack_report(icmp));
  auto sent = bytes(kTimestamps + kIpv4);
  sent[0x40 + 16 + 8] = std::byte{0};  // ee_info: SCM_TSTAMP_SND
  EXPECT_FALSE(parse_ack_report(sent));
  auto untimed = bytes(kIpv4);
  EXPECT_FALSE(parse_ack_report(untimed));
}

TEST(ParseAckReportTest, SkipsWhatIsCutShort) {
  const auto whole = bytes(kTimestamps + kIpv4);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    std::vector<std::byte> cut{whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)};
    EXPECT_FALSE(parse_ack_report(cut)) << size;
  }
}

TEST(UnwrapOffsetTest, FindsTheUpperHalf) {
  constexpr std::uint64_t k4GiB = 1ull << 32;
  EXPECT_EQ(unwrap_offset(1000, 1000), 1000u);
  EXPECT_EQ(unwrap_offset(1000, 5 * k4GiB + 2000), 5 * k4GiB + 1000);
  EXPECT_EQ(unwrap_offset(0xffffff00, 5 * k4GiB + 2000), 5 * k4GiB - 256);
  EXPECT_EQ(unwrap_offset(0, k4GiB), k4GiB);
}

class DeliveryReportsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(reports_) << std::strerror(errno); }

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

  /// Until `count` have come, for 2 s at most.
  std::vector<Delivery> read(std::size_t count) {
    std::vector<Delivery> found;
    const auto deadline = base::Clock::now() + 2s;
    while (found.size() < count && base::Clock::now() < deadline) {
      reports_->read(path_.sender(), sent_, [&](const Delivery& d) { found.push_back(d); });
      std::this_thread::sleep_for(1ms);
    }
    return found;
  }

  static constexpr std::uint64_t kBefore = (1ull << 32) - 1500;  ///< bytes of earlier responses

  Loopback path_;
  std::uint64_t sent_ = kBefore;
  std::optional<DeliveryReports> reports_ = DeliveryReports::enable(path_.sender(), kBefore);
};

TEST_F(DeliveryReportsTest, TellsTheEndOfEachMarkedWrite) {
  const auto begin = base::Clock::now();
  for (int i = 0; i < 20; ++i) send_marked(std::string(1000, 'x'));
  const auto found = read(20);
  ASSERT_EQ(found.size(), 20u);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(found[i].end, kBefore + 1000 * (i + 1));
    EXPECT_GE(found[i].at, begin - 1ms);
    EXPECT_LE(found[i].at, base::Clock::now());
  }
}

TEST_F(DeliveryReportsTest, AWriteBehindALossWaitsForItsRepair) {
  path_.lose('a');
  send_marked("a");
  send_marked("b");
  EXPECT_TRUE(read(0).empty());
  std::this_thread::sleep_for(20ms);
  const auto mended = base::Clock::now();
  path_.lose_nothing();
  const auto found = read(2);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_GE(found[1].at, mended - 1ms);
}

TEST_F(DeliveryReportsTest, TellsNothingOfUnmarkedWrites) {
  path_.send("unmarked");
  sent_ += 8;
  send_marked("marked");
  const auto found = read(1);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].end, kBefore + 14);
}

TEST(DeliveryReportsErrorTest, SaysWhyItCannot) {
  errno = 0;
  EXPECT_FALSE(DeliveryReports::enable(-1, 0));
  EXPECT_EQ(errno, EBADF);
}

}  // namespace
}  // namespace tcpinfo
