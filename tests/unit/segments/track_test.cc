#include "segments/track.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>

#include "media/mp4.h"
#include "segments/settings.h"
#include "track_packets.h"

namespace {

using namespace std::chrono_literals;
using segments::Part;
using segments::Track;
using ::testing::Each;
using ::testing::ElementsAreArray;
using ::testing::IsNull;
using ::testing::NotNull;
using ::testing::Pointee;
using ::testing::Property;
using ::testing::SizeIs;

constexpr segments::SegmentClock kClock{.segment = 2s, .part = 200ms};

class TrackTest : public ::testing::Test {
 protected:
  void frames(media::Pts begin, media::Pts end) {
    track_packets::frames(begin, end, [this](const auto& packet) { track_.push(packet); });
  }

  Track track_{kClock, 4};
};

TEST(SegmentClockTest, AClockThatWasSetIsAheadByWholeSegments) {
  const segments::SegmentClock clock{.segment = 2s, .part = 200ms};
  EXPECT_EQ(clock.ahead(0s), 0);
  EXPECT_EQ(clock.ahead(7200s), 3600);
  EXPECT_EQ(clock.ahead(7201s), 3601);
  EXPECT_EQ(clock.ahead(-7200s), -3600);
  EXPECT_EQ(clock.ahead(-7201s), -3600);
}

TEST(SegmentClockTest, NumbersSegments) {
  EXPECT_EQ(kClock.number(4s - 1ns), 1u);
  EXPECT_EQ(kClock.begin(2), 4s);
}

TEST(SegmentClockTest, TwoServersNumberAMomentAlike) {
  constexpr media::Pts kMoment = 1'790'000'003s;
  const segments::SegmentClock first{.segment = 2s, .part = 200ms, .origin = 1'790'000'000s};
  const segments::SegmentClock second{.segment = 2s, .part = 200ms, .origin = 1'789'000'000s};
  EXPECT_EQ(first.number(kMoment - first.origin), 895'000'001u);
  EXPECT_EQ(second.number(kMoment - second.origin), 895'000'001u);
  EXPECT_EQ(first.begin(895'000'001), 2s);
  EXPECT_EQ(second.begin(895'000'001), 1'000'002s);
}

TEST(SegmentClockTest, NumbersHave31BitsForShortSegments) {
  for (const auto segment : {500ms, 700ms, 840ms, 1000ms, 2000ms, 60'000ms}) {
    for (const base::Duration unix : {0s, 3600s, 1'790'000'000s, 2'100'000'000s}) {
      const auto origin = unix / segment * segment;
      const auto clock = segments::SegmentClock::at(segment, 100ms, origin);
      EXPECT_EQ(clock.origin % segment, 0s);
      EXPECT_GE(clock.origin, 0s);
      EXPECT_LT(clock.number(24h * 365 * 4), std::uint64_t{1} << 31);
      if (unix <= 1'790'000'000s && segment >= 1s) {
        EXPECT_EQ(clock.origin, origin);
      }
    }
  }
}

TEST(SegmentClockTest, PartsCarryMediaTimeSince1970) {
  const segments::SegmentClock clock{.segment = 2s, .part = 200ms, .origin = 1'790'000'000s};
  Track track{clock, 4};
  track_packets::frames(0s, 3s, [&](const auto& packet) { track.push(packet); });
  const auto bytes = track.find(895'000'000)->parts.front()->bytes();
  std::uint64_t decode_time = 0;  // of tfdt: 8 bytes before trun
  for (std::size_t i = 60; i < 68; ++i) decode_time = decode_time << 8 | bytes[i];
  EXPECT_EQ(decode_time, 1'790'000'000ull * 90'000);
}

/// Frame intervals in seconds: usual rates, every other frame of them, and audio frames.
class PartLengthTest : public ::testing::TestWithParam<double> {};

TEST_P(PartLengthTest, KeepsToThePartTarget) {
  const segments::SegmentClock clock{.segment = 2s, .part = segments::Settings{}.part};
  Track track{clock, 4};
  const auto frame = base::from_seconds(GetParam());
  for (int i = 0; i * GetParam() < 4; ++i) {
    const auto pts = base::from_seconds(i * GetParam());
    track.push(track_packets::frame(pts, pts % clock.segment < frame, frame));
  }
  const auto& parts = track.find(0)->parts;
  EXPECT_LE(parts.size(), clock.max_parts());
  for (const auto& part : std::span{parts}.first(parts.size() - 1)) {
    EXPECT_LE(part->duration(), clock.longest_part());
    EXPECT_GE(part->duration(), 0.85 * clock.longest_part());
  }
  EXPECT_LE(parts.back()->duration(), clock.longest_part());
  EXPECT_GT(parts.back()->duration(), 200ms);
}

INSTANTIATE_TEST_SUITE_P(UsualRates, PartLengthTest,
                         ::testing::Values(1 / 60., 1.001 / 60, 1 / 50., 1 / 30., 1.001 / 30,
                                           1 / 25., 1 / 24., 1.001 / 24, 1 / 15., 2.002 / 30,
                                           1 / 12.5, 1 / 12., 2.002 / 24, 1 / 10., 1 / 7.5, 1 / 5.,
                                           1024. / 48'000));

TEST_F(TrackTest, PartsOfJitteredFramesKeepToThePartTarget) {
  const segments::SegmentClock clock{.segment = 2s, .part = 400ms};
  Track track{clock, 4};
  for (int i = 0; i < 61; ++i) {  // a camera at 30/s whose timestamps are whole milliseconds
    const auto pts = i * 1000 / 30 * 1ms;
    track.push(track_packets::frame(pts, i % 60 == 0, 33ms));
  }
  for (const auto& part : track.find(0)->parts) EXPECT_LE(part->duration(), clock.longest_part());
}

TEST_F(TrackTest, EachSlowFrameIsAPart) {
  for (int i = 0; i < 6; ++i) track_.push(track_packets::frame(i * 500ms, i % 4 == 0, 500ms));
  EXPECT_THAT(track_.find(0)->parts, SizeIs(4));
}

TEST_F(TrackTest, TheNextKeyframeCompletesASegment) {
  frames(0s, 2s);
  EXPECT_FALSE(track_.find(0)->complete);
  EXPECT_THAT(track_.find(0)->parts, SizeIs(9));
  frames(2s, 2s + 1ms);
  EXPECT_TRUE(track_.find(0)->complete);
  EXPECT_THAT(track_.find(0)->parts, SizeIs(10));
  EXPECT_THAT(track_.find(0)->parts, Each(Pointee(Property(&Part::duration, 200ms))));
  EXPECT_EQ(track_.find(0)->duration(), 2s);
}

TEST_F(TrackTest, EndCompletesTheOpenSegment) {
  frames(0s, 1s);
  track_.end();
  EXPECT_TRUE(track_.find(0)->complete);
  EXPECT_EQ(track_.find(0)->duration(), 1s);
}

TEST_F(TrackTest, OnlyTheFirstPartIsIndependent) {
  frames(0s, 1s);
  const auto& parts = track_.find(0)->parts;
  EXPECT_TRUE(parts[0]->independent());
  EXPECT_FALSE(parts[1]->independent());
}

TEST_F(TrackTest, PartIsAChunkOfItsFrames) {
  std::vector<media::PacketPtr> first;
  track_packets::frames(0s, 200ms, [&](const auto& packet) { first.push_back(packet); });
  frames(0s, 400ms);
  const auto part = track_.find(0)->parts.at(0);
  EXPECT_THAT(std::vector(part->bytes().begin(), part->bytes().end()),
              ElementsAreArray(media::mp4_chunk(first, 200ms, 1)));
}

TEST_F(TrackTest, ReencodedFramesKeepTheirParts) {
  frames(0s, 2s);
  frames(2s + 120ms, 4s);  // starts two frames late
  track_.end();
  const auto& segment = *track_.find(1);
  std::vector<media::PacketPtr> fresh;
  track_packets::frames(2s + 120ms, 4s, [&](const auto& frame) { fresh.push_back(frame); });
  const auto coded = segments::with(segment, fresh, 7);
  EXPECT_EQ(coded.init, 7u);
  EXPECT_EQ(coded.headers, fresh.front()->headers);
  ASSERT_EQ(coded.parts.size(), segment.parts.size());
  EXPECT_EQ(coded.parts.front()->packets().front(), fresh.front());
  for (std::size_t i = 0; i < coded.parts.size(); ++i) {
    const auto& part = *coded.parts[i];
    EXPECT_EQ(part.end(), segment.parts[i]->end());
    const auto bytes = segment.parts[i]->bytes();
    EXPECT_THAT(std::vector(part.bytes().begin(), part.bytes().end()), ElementsAreArray(bytes));
  }
}

TEST_F(TrackTest, DropsASegmentWhoseStartIsMissing) {
  frames(500ms, 3s);
  EXPECT_THAT(track_.find(0), IsNull());
  EXPECT_EQ(track_.find(1)->begin, 2s + 20ms);
}

TEST_F(TrackTest, DropsASegmentWhoseFirstFrameIsMissing) {
  frames(2s + 40ms, 5s);  // the group was opened after the frame at 2 s
  EXPECT_THAT(track_.find(1), IsNull());
  EXPECT_THAT(track_.find(2), NotNull());
}

TEST_F(TrackTest, BeginsWithTheFrameAfterOneLeftOutAtTheTick) {
  for (int i = 0; i < 10; ++i) {  // every other frame is left out
    track_.push(track_packets::frame(2s + 40ms + i * 80ms, i == 0, 80ms));
  }
  EXPECT_THAT(track_.find(1), NotNull());
}

TEST_F(TrackTest, MakesNoPartWithoutFrames) {
  track_.push(track_packets::frame(0s, true));
  track_.push(track_packets::frame(500ms));
  track_.push(track_packets::frame(700ms));
  const auto& parts = track_.find(0)->parts;
  ASSERT_THAT(parts, SizeIs(2));
  EXPECT_EQ(parts[0]->end(), 500ms);
}

TEST_F(TrackTest, AMissingSegmentCompletesTheOneBefore) {
  frames(0s, 1s);
  frames(4s, 4s + 1ms);
  EXPECT_TRUE(track_.find(0)->complete);
  EXPECT_THAT(track_.find(1), IsNull());
  EXPECT_THAT(track_.find(2), NotNull());
}

TEST_F(TrackTest, ASegmentBeforeAPauseKeepsItsLength) {
  frames(0s, 1s);
  frames(7200s, 7202s);
  EXPECT_EQ(track_.find(0)->duration(), 2s);
}

TEST_F(TrackTest, AudioBeforeAPauseKeepsItsLength) {
  for (std::uint64_t i = 0; i < 50; ++i) track_.push(track_packets::audio(i));
  for (std::uint64_t i = 300'000; i < 300'002; ++i) track_.push(track_packets::audio(i));
  EXPECT_EQ(track_.find(0)->duration(), 2s);
}

TEST_F(TrackTest, KeepsTheNewestSegments) {
  frames(0s, 12s);
  EXPECT_THAT(track_.find(1), IsNull());
  EXPECT_THAT(track_.find(2), NotNull());
  EXPECT_EQ(track_.newest()->number, 5u);
}

TEST_F(TrackTest, ForgetsTheOpenSegmentToo) {
  frames(0s, 1s);
  track_.forget_before(1);
  EXPECT_TRUE(track_.empty());
  frames(1s, 2s);
  EXPECT_TRUE(track_.empty());
  frames(2s, 3s);
  EXPECT_THAT(track_.find(1), NotNull());
}

TEST_F(TrackTest, AudioIsCutAtTheSameTicks) {
  for (std::uint64_t i = 0; i < 200; ++i) track_.push(track_packets::audio(i));
  const auto* segment = track_.find(0);
  EXPECT_TRUE(segment->complete);
  EXPECT_TRUE(segment->parts[3]->independent());
  EXPECT_GE(track_.find(1)->begin, 2s);
  EXPECT_LT(track_.find(1)->begin, 2s + 22ms);
  EXPECT_EQ(segment->end(), track_.find(1)->begin);
}

}  // namespace
