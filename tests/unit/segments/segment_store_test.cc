#include "segments/segment_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "track_packets.h"

namespace {

using namespace std::chrono_literals;
using segments::SegmentStore;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class SegmentStoreTest : public ::testing::Test {
 protected:
  void frames(std::uint32_t group, media::Pts begin, media::Pts end) {
    track_packets::frames(begin, end, [&](const auto& packet) { store_.publish(group, packet); });
  }

  SegmentStore store_{{.segment = 2s, .part = 200ms}, 4};
};

TEST_F(SegmentStoreTest, HoldsASegmentOfEachGroup) {
  frames(0, 0s, 3s);
  frames(1, 0s, 3s);
  EXPECT_THAT(store_.holders(0), SizeIs(2));
  EXPECT_TRUE(store_.video(*store_.track(1), 0)->complete);
  EXPECT_EQ(store_.newest(), 1u);
}

TEST_F(SegmentStoreTest, SegmentsAreDueAheadOfTheNewest) {
  EXPECT_TRUE(store_.is_due(9)) << "nothing is known yet";
  frames(0, 0s, 3s);
  EXPECT_FALSE(store_.is_due(0));
  EXPECT_TRUE(store_.is_due(1));
  EXPECT_TRUE(store_.is_due(3));
  EXPECT_FALSE(store_.is_due(4));
}

TEST_F(SegmentStoreTest, TheWindowAndWhatIsDueAreCurrent) {
  EXPECT_TRUE(store_.is_current(3600)) << "nothing is known yet";
  frames(0, 0s, 11s);  // 0 to 5
  EXPECT_FALSE(store_.is_current(1)) << "expired";
  EXPECT_TRUE(store_.is_current(2));
  EXPECT_TRUE(store_.is_current(7)) << "due";
  EXPECT_FALSE(store_.is_current(8));
}

TEST_F(SegmentStoreTest, OnlyNumbersBeforeTheWindowHaveExpired) {
  constexpr std::uint64_t kLargest = ~std::uint64_t{0};
  frames(0, 0s, 3s);
  EXPECT_FALSE(store_.has_expired(0)) << "the window is longer";
  frames(0, 4s, 11s);  // up to 5
  EXPECT_TRUE(store_.has_expired(1));
  for (const auto number : {std::uint64_t{2}, std::uint64_t{9}, kLargest - 3, kLargest}) {
    EXPECT_FALSE(store_.has_expired(number)) << number;
  }
}

TEST_F(SegmentStoreTest, SegmentsOfClosedGroupsStayForTheWindow) {
  frames(0, 0s, 3s);
  const auto closed = *store_.track(0);
  store_.close(0);
  EXPECT_FALSE(store_.track(0));
  EXPECT_TRUE(store_.video(closed, 0));
  frames(1, 4s, 9s);
  EXPECT_FALSE(store_.video(closed, 0));
  EXPECT_TRUE(store_.video(closed, 1));
  frames(1, 9s, 11s);
  EXPECT_FALSE(store_.video(closed, 1));
}

TEST_F(SegmentStoreTest, ForgetsClosedGroupsAfterAPause) {
  frames(0, 0s, 3s);
  frames(1, 0s, 3s);
  store_.close(0);
  store_.forget_closed();
  EXPECT_EQ(store_.newest(), 1u) << "a group is open";
  EXPECT_THAT(store_.holders(0), SizeIs(1));
  store_.close(1);
  store_.forget_closed();
  EXPECT_FALSE(store_.newest());
  EXPECT_FALSE(store_.oldest(false));
  EXPECT_TRUE(store_.largest());
  frames(2, 3600s, 3601s);
  EXPECT_EQ(store_.newest(), store_.oldest(false));
}

TEST_F(SegmentStoreTest, CountsJumpsBeyondTheWindow) {
  frames(0, 0s, 3s);
  frames(0, 8s, 11s);
  EXPECT_EQ(store_.discontinuities(), 0u) << "a playlist may list segments from before";
  frames(0, 7200s, 7203s);
  EXPECT_EQ(store_.discontinuities(), 1u);
  frames(1, 7200s, 7203s);
  EXPECT_EQ(store_.discontinuities(), 1u) << "it is the same jump";
}

TEST_F(SegmentStoreTest, TheOldestSegmentMayHaveToHaveAudio) {
  frames(0, 0s, 5s);
  EXPECT_EQ(store_.oldest(false), 0u);
  EXPECT_FALSE(store_.oldest(true));
  for (std::uint64_t i = 3; i < 200; ++i) store_.publish(0, track_packets::audio(i));
  EXPECT_EQ(store_.oldest(true), 1u) << "audio began 64 ms after the tick";
  EXPECT_EQ(store_.oldest(false), 0u);
}

TEST_F(SegmentStoreTest, ASegmentCutShortIsTheLastChoice) {
  frames(0, 0s, 3s);
  frames(1, 0s, 3s);
  store_.close(0);
  EXPECT_THAT(store_.holders(0), SizeIs(2)) << "it was complete";
  EXPECT_THAT(store_.holders(1), SizeIs(1));
  store_.close(1);
  EXPECT_THAT(store_.holders(1), SizeIs(2)) << "there is no other";
}

TEST_F(SegmentStoreTest, PartsAndSegmentsChangeTheRevision) {
  frames(0, 0s, 80ms);
  const auto before = store_.revision();
  store_.publish(0, track_packets::frame(80ms));
  EXPECT_EQ(store_.revision(), before);
  frames(0, 120ms, 2040ms);
  EXPECT_EQ(store_.revision(), before + 10) << "nine parts end before the second segment begins";
}

TEST_F(SegmentStoreTest, AReusedGroupIndexIsAnotherTrack) {
  frames(0, 0s, 3s);
  const auto before = *store_.track(0);
  store_.close(0);
  frames(0, 4s, 5s);
  EXPECT_NE(store_.track(0), before);
  EXPECT_FALSE(store_.video(*store_.track(0), 0));
}

TEST_F(SegmentStoreTest, RemembersTheHeadersOfTheLargestFrames) {
  EXPECT_EQ(store_.largest(), nullptr);
  const auto publish = [this](media::Pts pts, int width, int height) {
    auto packet = std::make_shared<media::Packet>(*track_packets::frame(pts, true));
    packet->headers = std::make_shared<const media::Headers>(
        media::Headers{.format = {.width = width, .height = height}});
    store_.publish(0, packet);
  };
  publish(0s, 1280, 720);
  publish(2s, 640, 360);
  EXPECT_EQ(store_.largest()->format.width, 1280);
}

TEST_F(SegmentStoreTest, NamesHeadersByTheirContent) {
  const auto id = [](std::vector<std::uint8_t> video, std::vector<std::uint8_t> audio) {
    SegmentStore store{{.segment = 2s, .part = 200ms}, 4};  // as after a restart
    const auto headers = std::make_shared<const media::Headers>(
        media::Headers{.mp4_video = std::move(video), .mp4_audio = std::move(audio)});
    const auto init = store.init_of(headers);
    EXPECT_EQ(store.headers(init), headers);
    EXPECT_EQ(store.headers(init + 1), nullptr);
    return init;
  };
  EXPECT_EQ(id({1, 2}, {3}), id({1, 2}, {3}));
  EXPECT_NE(id({1, 2}, {3}), id({1, 3}, {3}));
}

TEST_F(SegmentStoreTest, TakesEachAudioFrameOnce) {
  for (std::uint64_t i = 0; i < 200; ++i) {
    store_.publish(0, track_packets::audio(i));
    store_.publish(1, track_packets::audio(i));
  }
  const auto segment = store_.audio(0);
  ASSERT_TRUE(segment);
  // 94 audio frames and the headers of 11 parts
  std::size_t bytes = 0;
  for (const auto& part : segment->parts) bytes += part->bytes().size();
  EXPECT_EQ(bytes, 94u * (3 + 12) + 11 * (108 - 12));
}

/// Audio frames whose bytes say which group they are of.
class SegmentAudioTest : public SegmentStoreTest {
 protected:
  static constexpr std::uint64_t kFrames = 94;  ///< of a segment

  void audio(std::uint32_t group, std::uint64_t begin, std::uint64_t end) {
    for (auto number = begin; number < end; ++number) {
      auto packet = std::make_shared<media::Packet>(*track_packets::audio(number));
      packet->unit = {static_cast<std::uint8_t>(group)};
      store_.publish(group, packet);
    }
  }

  /// The group of each audio frame in the first segment, for a player of `track`.
  std::vector<unsigned> groups_of(segments::SegmentStore::TrackId track) {
    std::vector<unsigned> groups;
    const auto segment = store_.audio(track, 0);
    if (!segment) return groups;
    for (const auto& part : segment->parts) {
      for (const auto& packet : part->packets()) groups.push_back(packet->unit.at(0));
    }
    return groups;
  }
};

TEST_F(SegmentAudioTest, IsOfTheTracksOwnGroup) {
  audio(0, 0, 100);
  audio(1, 0, 100);
  EXPECT_THAT(groups_of(*store_.track(0)), AllOf(SizeIs(kFrames), Each(0)));
  EXPECT_THAT(groups_of(*store_.track(1)), AllOf(SizeIs(kFrames), Each(1)));
}

TEST_F(SegmentAudioTest, IsOfAnotherGroupIfItsOwnBeganLater) {
  audio(0, 0, 100);
  audio(1, 20, 100);
  EXPECT_THAT(groups_of(*store_.track(1)), AllOf(SizeIs(kFrames), Each(0)));
}

TEST_F(SegmentAudioTest, IsWholeAlthoughItsOwnGroupWasClosed) {
  audio(0, 0, 50);
  audio(1, 0, 50);
  const auto closed = *store_.track(1);
  store_.close(1);
  audio(0, 50, 100);
  EXPECT_THAT(groups_of(closed), AllOf(SizeIs(kFrames), Each(0)));
}

TEST_F(SegmentAudioTest, IsWholeIfNoGroupHasAllOfIt) {
  audio(0, 0, 50);
  audio(1, 40, 50);
  const auto closed = *store_.track(0);
  store_.close(0);
  audio(1, 50, 100);
  EXPECT_THAT(groups_of(closed), SizeIs(kFrames));
  EXPECT_THAT(groups_of(*store_.track(1)), SizeIs(kFrames));
}

TEST_F(SegmentAudioTest, LeavesWithTheWindow) {
  frames(0, 0s, 3s);
  audio(0, 0, 140);
  const auto closed = *store_.track(0);
  store_.close(0);
  frames(1, 2s, 11s);
  audio(1, 140, 515);
  EXPECT_FALSE(store_.audio(closed, 0));
  EXPECT_TRUE(store_.audio(*store_.track(1), 4));
}

TEST_F(SegmentStoreTest, IsEmptyAtFirst) {
  EXPECT_FALSE(store_.newest());
  EXPECT_FALSE(store_.audio(0));
  EXPECT_FALSE(store_.track(0));
  EXPECT_THAT(store_.holders(0), IsEmpty());
}

}  // namespace
