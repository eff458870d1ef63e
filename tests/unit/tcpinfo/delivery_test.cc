#include "tcpinfo/delivery.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

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

// Linux 6.18's report of a first write of 1000 bytes: timestamps, then the error.
const std::string kTimestamps =
    "400000000000000001000000250000003c85006b0000000046d4bf3a00000000"
    "0000000000000000000000000000000000000000000000000000000000000000";
const std::string kIpv4 =
    "3000000000000000000000000b0000002a0000000400000002000000e7030000"
    "00000000000000000000000000000000";
const std::string kIpv6 =
    "3c0000000000000029000000190000002a0000000400000002000000e7030000"
    "0000000000000000000000000000000000000000000000000000000000000000";

TEST(ParseAckReportTest, ParsesReportsOfIpv4AndIpv6) {
  for (const auto& error : {kIpv4, kIpv6}) {
    auto control = bytes(kTimestamps + error);
    const auto report = parse_ack_report(control);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->id, 999u);
    EXPECT_EQ(report->realtime, 1795196220s + 985650246ns);
  }
}

TEST(ParseAckReportTest, SkipsOtherMessages) {
  auto icmp = bytes(kTimestamps + kIpv4);
  icmp[0x40 + 16 + 4] = std::byte{2};  // ee_origin: ICMP
  EXPECT_FALSE(parse_ack_report(icmp));
  auto sent = bytes(kTimestamps + kIpv4);
  sent[0x40 + 16 + 8] = std::byte{0};  // ee_info: SCM_TSTAMP_SND
  EXPECT_FALSE(parse_ack_report(sent));
  auto untimed = bytes(kIpv4);
  EXPECT_FALSE(parse_ack_report(untimed));
}

TEST(ParseAckReportTest, SkipsTruncatedReports) {
  const auto whole = bytes(kTimestamps + kIpv4);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    std::vector<std::byte> cut{whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)};
    EXPECT_FALSE(parse_ack_report(cut)) << size;
  }
}

TEST(ParseAckReportTest, SkipsTimesThatAreNone) {
  auto negative = bytes(kTimestamps + kIpv4);
  negative[16 + 7] = std::byte{0x80};  // of the seconds
  EXPECT_FALSE(parse_ack_report(negative));
  auto distant = bytes(kTimestamps + kIpv4);
  distant[16 + 7] = std::byte{0x7f};
  EXPECT_FALSE(parse_ack_report(distant));
  auto long_second = bytes(kTimestamps + kIpv4);
  long_second[24 + 4] = std::byte{1};  // of the nanoseconds: 2^32 more
  EXPECT_FALSE(parse_ack_report(long_second));
}

TEST(UnwrapOffsetTest, IsNeverBeyondWhatWasSent) { EXPECT_EQ(unwrap_offset(1001, 1000), 0u); }

TEST(UnwrapOffsetTest, FindsTheHighBits) {
  constexpr std::uint64_t k4GiB = 1ull << 32;
  EXPECT_EQ(unwrap_offset(1000, 1000), 1000u);
  EXPECT_EQ(unwrap_offset(1000, 5 * k4GiB + 2000), 5 * k4GiB + 1000);
  EXPECT_EQ(unwrap_offset(0xffffff00, 5 * k4GiB + 2000), 5 * k4GiB - 256);
  EXPECT_EQ(unwrap_offset(0, k4GiB), k4GiB);
}

}  // namespace
}  // namespace tcpinfo
