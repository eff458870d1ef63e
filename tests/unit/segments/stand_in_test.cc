#include "segments/stand_in.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "track_packets.h"

namespace {

using namespace std::chrono_literals;
using segments::stand_in;
using ::testing::ElementsAre;

constexpr segments::SegmentClock kClock{.segment = 2s, .part = 400ms};

/// Segment 7 with frames every `interval`, numbered from 0, as far as it has been made at `until`.
segments::Segment later_segment(base::Duration interval, media::Pts until) {
  segments::Track track{kClock, 4};
  for (std::uint64_t i = 0; 14s + i * interval < until; ++i) {
    auto packet = std::make_shared<media::Packet>(
        *track_packets::frame(14s + i * interval, i == 0, interval));
    packet->number = i;
    track.push(packet);
  }
  return *track.find(7);
}

std::vector<std::uint64_t> frames(const segments::Segment& segment) {
  std::vector<std::uint64_t> numbers;
  for (const auto& packet : segment.parts.at(0)->packets()) numbers.push_back(packet->number);
  return numbers;
}

std::vector<media::Pts> times(const segments::Segment& segment) {
  std::vector<media::Pts> times;
  for (const auto& packet : segment.parts.at(0)->packets()) times.push_back(packet->pts);
  return times;
}

TEST(StandInTest, ShowsTheFirstFramesOfALaterSegmentInSlowMotion) {
  const auto segment = stand_in(5, later_segment(40ms, 15s), kClock, false);
  ASSERT_TRUE(segment);
  EXPECT_TRUE(segment->complete);
  EXPECT_EQ(segment->begin, 10s);
  EXPECT_EQ(segment->end(), 12s);
  EXPECT_TRUE(segment->parts.at(0)->independent());
  EXPECT_THAT(frames(*segment), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_THAT(times(*segment),
              ElementsAre(10s, 10.2s, 10.4s, 10.6s, 10.8s, 11s, 11.2s, 11.4s, 11.6s, 11.8s));
}

TEST(StandInTest, WaitsForTheFramesOfASlowStream) {
  const auto next = later_segment(200ms, 15s);  // the second of its parts is not complete
  EXPECT_FALSE(stand_in(5, next, kClock, false));
  const auto segment = stand_in(5, next, kClock, true);
  ASSERT_TRUE(segment);
  EXPECT_THAT(frames(*segment), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(times(*segment), ElementsAre(10s, 10.5s, 11s, 11.5s));
  EXPECT_FALSE(stand_in(5, later_segment(200ms, 14s + 1ms), kClock, true));
}

TEST(StandInTest, ShowsACompleteSegmentOfFewFrames) {
  const auto segment = stand_in(5, later_segment(1s, 17s), kClock, false);
  ASSERT_TRUE(segment);
  EXPECT_THAT(times(*segment), ElementsAre(10s, 11s));
}

TEST(StandInTest, HasOneFrameOfAudio) {
  segments::Track track{kClock, 4};
  for (std::uint64_t i = 0; i < 150; ++i) track.push(track_packets::audio(i));
  const auto segment = stand_in(0, *track.find(1), kClock, false);
  ASSERT_TRUE(segment);
  EXPECT_THAT(times(*segment), ElementsAre(0s));
  EXPECT_EQ(segment->end(), 2s);
}

}  // namespace
