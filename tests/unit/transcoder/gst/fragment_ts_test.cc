#include "transcoder/gst/fragment_ts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "transcoder/gst/pes_times.h"

namespace transcoder {
namespace {

using namespace std::chrono_literals;

constexpr int kVideo = 0x100;
constexpr int kAudio = 0x101;
constexpr auto kHeadroom = FragmentClock::kHeadroom;

std::uint64_t ticks(base::Duration time) {
  return static_cast<std::uint64_t>(time.count() * 9 / 100'000) & kTsTimeMask;
}

/// A PES packet whose stream is shown `lead` after its PCR, if it has one.
TsPacket pes(int pid, base::Duration pts, std::optional<base::Duration> pcr = {}) {
  TsPacket packet{kTsSyncByte,
                  static_cast<std::uint8_t>(0x40 | pid >> 8),
                  static_cast<std::uint8_t>(pid),
                  0x30,
                  7,
                  0};
  if (pcr) {
    packet[5] = 0x10;
    set_pcr_base(packet, ticks(*pcr));
  }
  const std::uint8_t header[] = {0, 0, 1, 0xe0, 0,    0, 0x80, 0xc0, 10, 0x31,
                                 0, 1, 0, 1,    0x11, 0, 1,    0,    1};
  std::ranges::copy(header, packet.begin() + 12);
  set_pes_time(pts_bytes(packet), ticks(pts));
  set_pes_time(dts_bytes(packet), ticks(pts - 80ms));
  return packet;
}

class FragmentTsTest : public testing::Test {
 protected:
  std::optional<base::Duration> edit(std::vector<TsPacket> packets) {
    std::vector<std::uint8_t> bytes;
    for (const auto& packet : packets) bytes.insert(bytes.end(), packet.begin(), packet.end());
    const auto begin = ts_.edit(bytes);
    times_.clear();
    for (std::span rest{bytes}; !rest.empty(); rest = rest.subspan(kTsPacketBytes)) {
      times_.push_back(ts_time(pes_time(pts_bytes(rest.first<kTsPacketBytes>()))));
    }
    return begin;
  }

  /// Whether the times are these, to a tick.
  void expect(const std::vector<base::Duration>& times) {
    ASSERT_EQ(times_.size(), times.size());
    for (std::size_t i = 0; i < times.size(); ++i) {
      EXPECT_LT(std::chrono::abs(times_[i] - times[i]), 12us) << base::seconds(times_[i]);
    }
  }

  std::shared_ptr<FragmentClock> clock_ = std::make_shared<FragmentClock>();
  FragmentTs ts_{clock_};
  std::vector<base::Duration> times_;
};

TEST_F(FragmentTsTest, SaysWhereTheDemuxerBegins) {
  ts_.restart(3s);
  EXPECT_EQ(edit({pes(kVideo, 101s, 100s), pes(kAudio, 101s)}), kHeadroom + 3s);
  expect({kHeadroom + 4s, kHeadroom + 4s});
  EXPECT_EQ(edit({pes(kVideo, 101040ms, 100040ms)}), std::nullopt);
  expect({kHeadroom + 4040ms});
}

TEST_F(FragmentTsTest, TimesGoOnOverADiscontinuity) {
  ts_.restart(0s);
  edit({pes(kVideo, 101s, 100s)});
  ts_.restart(40ms);
  EXPECT_EQ(edit({pes(kAudio, 1s), pes(kVideo, 1s, 0s)}), kHeadroom + 40ms);
  expect({kHeadroom + 1040ms, kHeadroom + 1040ms});
}

TEST_F(FragmentTsTest, TimesGoOnOverAJumpThatThePlaylistDoesNotSay) {
  ts_.restart(0s);
  edit({pes(kVideo, 101s, 100s), pes(kVideo, 101040ms, 100040ms)});
  EXPECT_EQ(edit({pes(kVideo, 5h + 1s, 5h)}), std::nullopt);
  expect({kHeadroom + 1080ms});
}

TEST_F(FragmentTsTest, AnotherMuxerMayBeAheadOfItsClockByAnotherTime) {
  ts_.restart(0s);
  edit({pes(kVideo, 101s, 100s), pes(kVideo, 101040ms, 100040ms)});
  ts_.restart(80ms);
  EXPECT_EQ(edit({pes(kVideo, 300ms, 100ms), pes(kVideo, 340ms, 140ms)}), kHeadroom + 880ms);
  expect({kHeadroom + 1080ms, kHeadroom + 1120ms});
}

TEST_F(FragmentTsTest, TheWrapIsNoJump) {
  ts_.restart(0s);
  edit({pes(kVideo, kTsWrap + 980ms, kTsWrap - 20ms), pes(kVideo, kTsWrap + 1020ms, 20ms)});
  expect({kHeadroom + 1s, kHeadroom + 1040ms});
}

TEST_F(FragmentTsTest, AStreamWithoutAClockHasThatOfItsTimes) {
  ts_.restart(0s);
  EXPECT_EQ(edit({pes(kVideo, 101s)}), kHeadroom);
  ts_.restart(40ms);
  edit({pes(kVideo, 1s)});
  expect({kHeadroom + 40ms});
}

TEST_F(FragmentTsTest, TheClockOfAnotherProgrammeIsNoJump) {
  ts_.restart(0s);
  edit({pes(kVideo, 101s, 100s), pes(kAudio, 5001s, 5000s), pes(kVideo, 101040ms, 100040ms)});
  EXPECT_LT(std::chrono::abs(times_[2] - kHeadroom - 1040ms), 12us);
}

TEST_F(FragmentTsTest, TheClockMayMoveToAnotherPid) {
  ts_.restart(0s);
  edit({pes(kVideo, 101s, 100s)});
  for (auto time = 100s; time < 200s; ++time) edit({pes(kAudio, time + 1s, time)});
  edit({pes(kAudio, 1s, 0s)});
  expect({kHeadroom + 100s + 1s});
}

}  // namespace
}  // namespace transcoder
