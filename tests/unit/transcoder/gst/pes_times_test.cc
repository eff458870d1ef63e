#include "transcoder/gst/pes_times.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "transcoder/time/fragment_clock.h"

namespace transcoder {
namespace {

using namespace std::chrono_literals;
using Packet = std::array<std::uint8_t, kTsPacketBytes>;

constexpr int kVideo = 0x100;
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

TEST(PesTimesTest, FindsTheTimeInTheMedia) {
  PesTimes times;
  times.scan(clock_packet(10 * kSecond), 3s);
  times.scan(pes_packet(11 * kSecond), std::nullopt);
  times.scan(pes_packet(12 * kSecond), std::nullopt);
  EXPECT_EQ(times.media_time(kVideo, 4s), 11s);
  EXPECT_EQ(times.media_time(kVideo, 5010ms), 12s) << "the demuxer follows arrival";
}

TEST(PesTimesTest, KnowsNothingWithoutAClock) {
  PesTimes times;
  times.scan(pes_packet(11 * kSecond), std::nullopt);
  EXPECT_EQ(times.media_time(kVideo, 4s), std::nullopt);
}

TEST(PesTimesTest, ADiscontinuityHasAnotherBeginning) {
  PesTimes times;
  times.scan(clock_packet(10 * kSecond), 3s);
  times.scan(pes_packet(11 * kSecond), std::nullopt);
  EXPECT_EQ(times.media_time(kVideo, 4s), 11s);
  times.restart();
  times.scan(clock_packet(500 * kSecond), 9s);
  times.scan(pes_packet(500 * kSecond), std::nullopt);
  EXPECT_EQ(times.media_time(kVideo, 9s), 500s);
}

TEST(PesTimesTest, TheClockWraps) {
  PesTimes times;
  times.scan(clock_packet((std::uint64_t{1} << 33) - kSecond), 3s);
  times.scan(pes_packet(kSecond), std::nullopt);
  EXPECT_EQ(times.media_time(kVideo, 5s), 1s);
}

}  // namespace
}  // namespace transcoder
