#include "transcoder/gst/ts_repair.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "transcoder/gst/pes_times.h"

namespace transcoder {
namespace {

using Packet = std::array<std::uint8_t, kTsPacketBytes>;

constexpr int kSecond = 90'000;  // ticks
constexpr int kStart = 0x40;
constexpr int kPesBytes = 2 * 184 - 6;  // after the length: two packets

std::uint8_t byte(std::int64_t value) { return static_cast<std::uint8_t>(value); }

Packet packet(const std::vector<std::int64_t>& bytes) {
  Packet result;
  result.fill(0x55);
  std::ranges::transform(bytes, result.begin(), byte);
  return result;
}

Packet begin(int counter, std::int64_t ticks, int size = kPesBytes) {
  return packet({0x47, kStart | 1, 0, 0x10 | counter, 0, 0, 1, 0xc0, size >> 8, size, 0x80, 0x80, 5,
                 0x21 | (ticks >> 30 & 7) << 1, ticks >> 22, 1 | (ticks >> 15 & 0x7f) << 1,
                 ticks >> 7, 1 | (ticks & 0x7f) << 1});
}

Packet rest(int counter, int fill = 0x33) {
  Packet result = packet({0x47, 1, 0, 0x10 | counter});
  std::fill(result.begin() + 4, result.end(), byte(fill));
  return result;
}

Packet clock_packet(std::int64_t ticks, int flags = 0x10) {
  return packet({0x47, 2, 0, 0x20, 183, flags, ticks >> 25, ticks >> 17, ticks >> 9, ticks >> 1,
                 (ticks & 1) << 7 | 0x7e, 0});
}

/// A picture's beginning, with the clock before it.
Packet picture(std::int64_t clock, std::int64_t pts) {
  return packet({0x47,
                 kStart | 2,
                 0,
                 0x30,
                 7,
                 0x10,
                 clock >> 25,
                 clock >> 17,
                 clock >> 9,
                 clock >> 1,
                 (clock & 1) << 7 | 0x7e,
                 0,
                 0,
                 0,
                 1,
                 0xe0,
                 0,
                 0,
                 0x80,
                 0x80,
                 5,
                 0x21 | (pts >> 30 & 7) << 1,
                 pts >> 22,
                 1 | (pts >> 15 & 0x7f) << 1,
                 pts >> 7,
                 1 | (pts & 0x7f) << 1});
}

bool starts(const Packet& p) { return (p[1] & kStart) != 0; }
int counter(const Packet& p) { return p[3] & 0xf; }
bool hidden(const Packet& p) { return (p[1] & 0x1f) == 0x1f && p[2] == 0xff; }
bool has_header(const Packet& p) { return p[4] == 0 && p[5] == 0 && p[6] == 1 && p[7] == 0xc0; }
bool has_pts(const Packet& p) { return (p[11] & 0x80) != 0; }

class TsRepairTest : public ::testing::Test {
 protected:
  TsRepairTest() {
    for (int i = 0; i < 4; i += 2) {
      repaired(begin(i, i * kSecond / 10));
      repaired(rest(i + 1));
    }
  }

  Packet repaired(Packet p) {
    repair_.repair(p);
    return p;
  }

  TsRepair repair_;
};

TEST_F(TsRepairTest, LeavesAnIntactStream) {
  EXPECT_EQ(repaired(begin(4, kSecond / 2)), begin(4, kSecond / 2));
  EXPECT_EQ(repaired(rest(5)), rest(5));
  EXPECT_EQ(repaired(clock_packet(kSecond)), clock_packet(kSecond));
}

TEST_F(TsRepairTest, NumbersPacketsAnewAfterALoss) {
  repaired(begin(4, kSecond / 2, 3 * 184 - 6));
  EXPECT_EQ(counter(repaired(rest(6))), 5);
  EXPECT_EQ(counter(repaired(begin(7, kSecond))), 6);
}

TEST_F(TsRepairTest, HidesARepeatedPacket) {
  repaired(begin(4, kSecond / 2));
  EXPECT_FALSE(hidden(repaired(rest(5))));
  EXPECT_TRUE(hidden(repaired(rest(5))));
  EXPECT_FALSE(hidden(repaired(begin(6, kSecond))));
}

TEST_F(TsRepairTest, AudioWhoseBeginningIsMissingGetsAHeader) {
  const auto p = repaired(rest(5));
  EXPECT_TRUE(starts(p) && has_header(p));
  EXPECT_FALSE(has_pts(p));
  EXPECT_EQ(p[20], 0x33) << "the rest is as it was";
  EXPECT_EQ(repaired(rest(6))[4], 0x33) << "and belongs to the same";
}

TEST_F(TsRepairTest, ADamagedHeaderIsWrittenAnew) {
  auto p = begin(4, kSecond / 2);
  p[6] = 0x77;
  p = repaired(p);
  EXPECT_TRUE(starts(p) && has_header(p));
}

TEST_F(TsRepairTest, AHeaderWithoutItsMarkIsFound) {
  auto p = begin(4, kSecond / 2);
  p[1] = 1;
  EXPECT_EQ(repaired(p), begin(4, kSecond / 2));
}

TEST_F(TsRepairTest, AMarkWithinAPesPacketIsRemoved) {
  repaired(begin(4, kSecond / 2));
  auto p = rest(5);
  p[1] |= kStart;
  EXPECT_EQ(repaired(p), rest(5));
}

TEST_F(TsRepairTest, ATimeThatJumpsAloneIsRemoved) {
  EXPECT_FALSE(has_pts(repaired(begin(4, 500 * kSecond))));
  repaired(rest(5));
  EXPECT_TRUE(has_pts(repaired(begin(6, kSecond / 2))));
}

TEST_F(TsRepairTest, TimesThatGoOnElsewhereAreKept) {
  EXPECT_FALSE(has_pts(repaired(begin(4, 500 * kSecond))));
  repaired(rest(5));
  EXPECT_TRUE(has_pts(repaired(begin(6, 500 * kSecond + 9))));
}

TEST_F(TsRepairTest, ATimeThatFollowsTheClockIsKept) {
  repaired(clock_packet(kSecond / 4));
  repaired(clock_packet(500 * kSecond, 0x90));
  EXPECT_TRUE(has_pts(repaired(begin(4, 500 * kSecond))));
}

TEST_F(TsRepairTest, AlsoIfTheClockGoesBackALittle) {
  repaired(clock_packet(9 * kSecond, 0x90));
  repaired(begin(4, 10 * kSecond));
  repaired(rest(5));
  repaired(clock_packet(6 * kSecond, 0x90));
  EXPECT_TRUE(has_pts(repaired(begin(6, 6 * kSecond))));
}

TEST_F(TsRepairTest, AClockThatJumpsAloneIsRemoved) {
  repaired(clock_packet(kSecond));
  EXPECT_FALSE(pcr_base(repaired(clock_packet(900 * kSecond))));
  EXPECT_TRUE(pcr_base(repaired(clock_packet(kSecond + 90))));
}

TEST_F(TsRepairTest, AClockThatGoesOnElsewhereIsKept) {
  repaired(clock_packet(kSecond));
  EXPECT_FALSE(pcr_base(repaired(clock_packet(900 * kSecond))));
  EXPECT_TRUE(pcr_base(repaired(clock_packet(900 * kSecond + 90))));
}

TEST_F(TsRepairTest, AClockThatGoesBackALittleIsKeptIfTheTimesOfPicturesDo) {
  repaired(picture(5 * kSecond, 5 * kSecond + kSecond / 2));
  EXPECT_TRUE(pcr_base(repaired(picture(4 * kSecond, 4 * kSecond + kSecond / 2))));
  EXPECT_FALSE(pcr_base(repaired(picture(2 * kSecond, 4 * kSecond + kSecond / 2))));
}

TEST_F(TsRepairTest, AnAnnouncedJumpIsKept) {
  repaired(clock_packet(kSecond));
  EXPECT_TRUE(pcr_base(repaired(clock_packet(900 * kSecond, 0x90))));
}

TEST_F(TsRepairTest, TimesMayBeginAnew) {
  repaired(clock_packet(kSecond));
  repair_.restart_times();
  EXPECT_TRUE(pcr_base(repaired(clock_packet(900 * kSecond))));
  EXPECT_TRUE(has_pts(repaired(begin(4, 900 * kSecond))));
}

TEST_F(TsRepairTest, TheClockMayWrap) {
  repaired(clock_packet((std::int64_t{1} << 33) - 90));
  EXPECT_TRUE(pcr_base(repaired(clock_packet(90))));
}

}  // namespace
}  // namespace transcoder
