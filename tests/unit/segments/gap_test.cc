#include "segments/gap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <vector>

#include "track_packets.h"

namespace {

using namespace std::chrono_literals;
using segments::Gap;
using segments::PartPtr;
using segments::without;
using ::testing::ElementsAre;

constexpr segments::SegmentClock kClock{.segment = 2s, .part = 400ms};

struct Special {
  std::set<std::uint64_t> keyframes{};
  std::uint64_t recovery = 0;  ///< a recovery frame; 0: there is none
  std::uint64_t recovers_from = 0;
};

/// Segment 7 as far as it has been made at `until`: frames of 40 ms from number 100 on, so ten for
/// each part. Frame 100 is a keyframe.
segments::Track track(const Special& special, media::Pts until) {
  segments::Track track{kClock, 4};
  for (std::uint64_t i = 0; 14s + i * track_packets::kFrame < until; ++i) {
    const auto number = 100 + i;
    const bool keyframe = i % 50 == 0 || special.keyframes.contains(number);
    auto packet = std::make_shared<media::Packet>(
        *track_packets::frame(14s + i * track_packets::kFrame, keyframe));
    packet->number = number;
    packet->captured = base::Time{packet->pts};
    if (number == special.recovery) packet->recovers_from = special.recovers_from;
    track.push(packet);
  }
  return track;
}

segments::Segment segment(const Special& special, media::Pts until = 16040ms) {
  return *track(special, until).find(7);
}

std::optional<Gap> longest_gap(const segments::Segment& segment, std::size_t index) {
  return segments::longest_gap(segment, index, {});
}

std::vector<std::uint64_t> numbers(const PartPtr& part) {
  std::vector<std::uint64_t> result;
  for (const auto& packet : part->packets()) result.push_back(packet->number);
  return result;
}

void expect_gap(const std::optional<Gap>& gap, std::uint64_t first, std::uint64_t next) {
  ASSERT_TRUE(gap);
  EXPECT_EQ(gap->first, first);
  EXPECT_EQ(gap->next, next);
}

TEST(GapTest, ThereIsNoneWithoutARecoveryFrame) {
  for (std::size_t part = 0; part < 4; ++part) EXPECT_FALSE(longest_gap(segment({}), part));
}

TEST(GapTest, AKeyframeEndsOneInThePartOrInTheNext) {
  expect_gap(longest_gap(segment({.keyframes = {107}}), 0), 101, 107);
  expect_gap(longest_gap(segment({.keyframes = {110}}), 0), 101, 110);
  expect_gap(longest_gap(segment({.keyframes = {115}}), 0), 101, 115);
  EXPECT_FALSE(longest_gap(segment({.keyframes = {125}}), 0));
}

TEST(GapTest, TheEndOfTheSegmentEndsOne) {
  expect_gap(longest_gap(segment({}), 4), 141, 150);
  EXPECT_FALSE(longest_gap(segment({}, 15980ms), 3));  // more of the segment follows
}

TEST(GapTest, AFrameOfThePartBeingMadeEndsOne) {
  const auto made = track({.keyframes = {115}}, 14640ms);
  const auto segment = *made.find(7);
  ASSERT_EQ(segment.parts.size(), 1);
  EXPECT_FALSE(longest_gap(segment, 0));
  expect_gap(segments::longest_gap(segment, 0, made.being_made()), 101, 115);
  const auto later = track({.keyframes = {135}}, 15440ms);  // two parts later
  EXPECT_FALSE(segments::longest_gap(segment, 0, later.being_made()));
}

TEST(GapTest, ARecoveryFrameNeedsAllFramesButThoseThatWereLost) {
  expect_gap(longest_gap(segment({.recovery = 115, .recovers_from = 106}), 0), 106, 115);
  expect_gap(longest_gap(segment({.recovery = 115, .recovers_from = 90}), 0), 101, 115);
  expect_gap(longest_gap(segment({.recovery = 109, .recovers_from = 106}), 0), 106, 109);
  EXPECT_FALSE(longest_gap(segment({.recovery = 115, .recovers_from = 111}), 0));
  expect_gap(longest_gap(segment({.recovery = 115, .recovers_from = 111}), 1), 111, 115);
}

TEST(GapTest, TheFrameBeforeItIsShownUntilTheOneAfterIt) {
  const auto whole = segment({.recovery = 107, .recovers_from = 102});
  const auto part = without(whole.parts[0], {102, 107});
  EXPECT_THAT(numbers(part), ElementsAre(100, 101, 107, 108, 109));
  EXPECT_EQ(part->begin(), 14s);
  EXPECT_EQ(part->end(), 14400ms);
  EXPECT_LT(part->bytes().size(), whole.parts[0]->bytes().size());
}

TEST(GapTest, AcrossPartsTheFrameAfterItIsShownFromTheBeginningOfItsPart) {
  const auto whole = segment({.keyframes = {115}});
  const auto gap = longest_gap(whole, 0);
  ASSERT_TRUE(gap);
  const auto first = without(whole.parts[0], *gap);
  EXPECT_THAT(numbers(first), ElementsAre(100));
  EXPECT_EQ(first->duration(), 400ms);
  const auto second = without(whole.parts[1], *gap);
  EXPECT_THAT(numbers(second), ElementsAre(115, 116, 117, 118, 119));
  EXPECT_EQ(second->begin(), 14400ms);
  EXPECT_TRUE(second->independent());
  EXPECT_EQ(without(whole.parts[2], *gap), whole.parts[2]);
}

TEST(GapTest, APartIsAsOldAsBefore) {
  const auto whole = segment({});
  const auto part = without(whole.parts[4], {141, 150});
  EXPECT_THAT(numbers(part), ElementsAre(140));
  EXPECT_EQ(part->captured(), whole.parts[4]->captured());
  EXPECT_EQ(part->later(1s)->captured(), whole.parts[4]->captured());
}

TEST(GapTest, APartOfWhichNothingIsLeftIsNone) {
  EXPECT_EQ(without(segment({}).parts[1], {105, 125}), nullptr);
}

}  // namespace
