#include "transcoder/gst/pes_times.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace transcoder {
namespace {

using Packet = std::array<std::uint8_t, kTsPacketBytes>;

constexpr std::uint64_t kSecond = 90'000;  // ticks

Packet packet(std::vector<int> bytes) {
  Packet result;
  result.fill(0xff);
  std::ranges::transform(bytes, result.begin(), [](int b) { return static_cast<std::uint8_t>(b); });
  return result;
}

Packet clock_packet(std::uint64_t ticks) {
  const auto t = static_cast<std::int64_t>(ticks);
  return packet({0x47, 0x01, 0x00, 0x20, 183, 0x10, static_cast<int>(t >> 25 & 0xff),
                 static_cast<int>(t >> 17 & 0xff), static_cast<int>(t >> 9 & 0xff),
                 static_cast<int>(t >> 1 & 0xff), static_cast<int>((t & 1) << 7 | 0x7e), 0});
}

Packet pes_packet(std::uint64_t ticks) {
  const auto t = static_cast<std::int64_t>(ticks);
  return packet({0x47, 0x41, 0x00, 0x10, 0, 0, 1, 0xe0, 0, 0, 0x80, 0x80, 5,
                 static_cast<int>(0x21 | (t >> 30 & 7) << 1), static_cast<int>(t >> 22 & 0xff),
                 static_cast<int>(1 | (t >> 15 & 0x7f) << 1), static_cast<int>(t >> 7 & 0xff),
                 static_cast<int>(1 | (t & 0x7f) << 1)});
}

TEST(PesTimesTest, ReadsAll33Bits) {
  for (const std::uint64_t ticks : {std::uint64_t{0}, (std::uint64_t{1} << 33) - 1,
                                    std::uint64_t{1} << 32, std::uint64_t{123'456'789}}) {
    const auto pes = pes_packet(ticks);
    EXPECT_EQ(pes_time(std::span{pes}.subspan(13)), ticks);
    EXPECT_EQ(pcr_base(clock_packet(ticks)), ticks);
  }
}

TEST(PesTimesTest, WritesAll33Bits) {
  for (const std::uint64_t ticks : {std::uint64_t{0}, (std::uint64_t{1} << 33) - 1,
                                    std::uint64_t{1} << 32, std::uint64_t{123'456'789}}) {
    auto pes = pes_packet(987'654'321);
    set_pes_time(pts_bytes(pes), ticks);
    EXPECT_EQ(pes, pes_packet(ticks));
    auto clock = clock_packet(987'654'321);
    set_pcr_base(clock, ticks);
    EXPECT_EQ(clock, clock_packet(ticks));
  }
}

TEST(PesTimesTest, FindsTheTimesOfAHeader) {
  auto pes = pes_packet(kSecond);
  EXPECT_EQ(pts_bytes(pes).size(), 5U);
  EXPECT_TRUE(dts_bytes(pes).empty());
  pes[7 + 4] = 0xc0;
  EXPECT_EQ(dts_bytes(pes).data(), pts_bytes(pes).data() + 5);
  pes[3 + 4] = 0xbe;
  EXPECT_TRUE(pts_bytes(pes).empty()) << "padding";
}

}  // namespace
}  // namespace transcoder
