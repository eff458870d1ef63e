#include "app/segments/sent_video.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "track_packets.h"

namespace app {
namespace {

using namespace std::chrono_literals;
using segments::PartPtr;
using ::testing::ElementsAre;

constexpr base::BitRate kOldRate = base::BitRate::mbps(4);
const SentVideo::BeingMade kNothing = [] { return std::vector<media::PacketPtr>{}; };
constexpr segments::SegmentClock kClock{.segment = 2s, .part = 400ms};

/// A player of segment 7, which has frames from number 100 on, ten for each part. They are encoded
/// at kOldRate, except from the recovery frame on.
class SentVideoTest : public testing::Test {
 protected:
  segments::Segment segment(base::Time now) const { return *track(now).find(7); }
  /// The segment as far as it has been made at `now`.
  segments::Track track(base::Time now) const {
    segments::Track track{kClock, 4};
    for (std::uint64_t i = 0; i <= 51; ++i) {
      const auto pts = 14s + static_cast<std::int64_t>(i) * track_packets::kFrame;
      if (base::Time{pts} > now) break;
      auto packet = std::make_shared<media::Packet>(*track_packets::frame(pts, i == 0 || i == 50));
      packet->number = 100 + i;
      packet->captured = base::Time{pts};
      const bool at_new_rate = recovery_ > 0 && packet->number >= recovery_;
      packet->unit.resize(at_new_rate ? 2'000 : 20'000, 0xff);
      if (packet->number == recovery_) packet->recovers_from = recovers_from_;
      if (packet->number == second_recovery_) packet->recovers_from = recovery_ + 1;
      track.push(packet);
    }
    return track;
  }
  PartPtr next(std::size_t index, base::BitRate carries, base::Time now) {
    return sent_.next(segment(now), index, kNothing, carries, now).part;
  }
  /// The parts from `index` on, and the part being made, as far as it has been made at `now`.
  SentVideo::Unsent unsent(std::size_t index, base::Time now) const {
    const auto made = track(now);
    const auto& parts = made.find(7)->parts;
    return {.parts = {parts.begin() + static_cast<std::ptrdiff_t>(index), parts.end()},
            .being_made = {made.being_made().begin(), made.being_made().end()}};
  }
  static std::vector<std::uint64_t> numbers(const PartPtr& part) {
    std::vector<std::uint64_t> result;
    for (const auto& packet : part->packets()) result.push_back(packet->number);
    return result;
  }

  SentVideo sent_{400ms};
  std::uint64_t recovery_ = 0;
  std::uint64_t recovers_from_ = 0;
  std::uint64_t second_recovery_ = 0;
};

TEST_F(SentVideoTest, ThePlayerGetsWholePartsWhileThePathCarriesThem) {
  recovery_ = 115;
  recovers_from_ = 101;
  EXPECT_EQ(next(0, base::BitRate::mbps(6), base::Time{14400ms})->packets().size(), 10);
}

TEST_F(SentVideoTest, OfAPartThatWouldBeLateItGetsTheFramesThatTheRecoveryFrameNeeds) {
  next(0, base::BitRate::mbps(6), base::Time{14400ms});
  recovery_ = 118;
  recovers_from_ = 111;
  const auto part = next(1, base::BitRate::mbps(1), base::Time{15900ms});
  EXPECT_THAT(numbers(part), ElementsAre(110, 118, 119));
  EXPECT_EQ(part->duration(), 400ms);
}

TEST_F(SentVideoTest, TheNextPartBeginsWithTheRecoveryFrame) {
  next(0, base::BitRate::mbps(6), base::Time{14400ms});
  recovery_ = 124;
  recovers_from_ = 111;
  EXPECT_THAT(numbers(next(1, base::BitRate::mbps(1), base::Time{15900ms})), ElementsAre(110));
  const auto after = next(2, base::BitRate::mbps(1), base::Time{16100ms});
  EXPECT_THAT(numbers(after), ElementsAre(124, 125, 126, 127, 128, 129));
  EXPECT_EQ(after->begin(), 14800ms);
  EXPECT_EQ(next(3, base::BitRate::mbps(1), base::Time{16200ms})->packets().size(), 10);
}

TEST_F(SentVideoTest, TheRecoveryFrameMayBeInThePartBeingMade) {
  const auto now = base::Time{14900ms};
  recovery_ = 121;
  recovers_from_ = 111;
  const auto being_made = [&] { return unsent(1, now).being_made; };
  const auto part = sent_.next(segment(now), 1, being_made, base::BitRate::mbps(1), now).part;
  EXPECT_THAT(numbers(part), ElementsAre(110));
}

TEST_F(SentVideoTest, ThePartAfterItMayBeLateToo) {
  next(0, base::BitRate::mbps(6), base::Time{14400ms});
  recovery_ = 123;
  recovers_from_ = 111;
  EXPECT_THAT(numbers(next(1, base::BitRate::mbps(1), base::Time{15900ms})), ElementsAre(110));
  second_recovery_ = 133;
  EXPECT_THAT(numbers(next(2, base::BitRate::kbps(100), base::Time{16100ms})), ElementsAre(123));
  EXPECT_THAT(numbers(next(3, base::BitRate::mbps(1), base::Time{16200ms})),
              ElementsAre(133, 134, 135, 136, 137, 138, 139));
}

TEST_F(SentVideoTest, AtTheEndOfASegmentItNeedsNoRecoveryFrame) {
  next(3, base::BitRate::mbps(6), base::Time{16s});
  EXPECT_THAT(numbers(next(4, base::BitRate::mbps(1), base::Time{17500ms})), ElementsAre(140));
}

TEST_F(SentVideoTest, APlayerThatLoadsOldPartsGetsThemWhole) {
  EXPECT_EQ(next(4, base::BitRate::mbps(1), base::Time{18s})->packets().size(), 10);
}

TEST_F(SentVideoTest, APlayerThatHasPausedGetsWholeParts) {
  next(3, base::BitRate::mbps(6), base::Time{16s});
  EXPECT_EQ(next(4, base::BitRate::mbps(1), base::Time{20s})->packets().size(), 10);
}

TEST_F(SentVideoTest, NothingIsLeftOutWhileTheRateIsUnknown) {
  next(3, base::BitRate::mbps(6), base::Time{16s});
  const auto next = sent_.next(segment(base::Time{16100ms}), 4, kNothing, {}, base::Time{16500ms});
  EXPECT_EQ(next.part->packets().size(), 10);
  EXPECT_FALSE(next.gap);
}

TEST_F(SentVideoTest, FramesThatTakeLongerToLoadThanAPartLastsAreLost) {
  const auto made = unsent(1, base::Time{14680ms});  // seven frames of the second part
  EXPECT_FALSE(sent_.lost(made, base::BitRate::mbps(1)));
  next(0, base::BitRate::mbps(6), base::Time{14400ms});
  EXPECT_FALSE(sent_.lost(made, base::BitRate::mbps(3.5)));
  EXPECT_EQ(sent_.lost(made, base::BitRate::mbps(1)), 111);  // the part keeps its first frame
}

TEST_F(SentVideoTest, OfSeveralPartsThoseFromTheNewestCompleteOneAreLost) {
  next(0, base::BitRate::mbps(6), base::Time{14400ms});
  EXPECT_EQ(sent_.lost(unsent(1, base::Time{15300ms}), base::BitRate::mbps(1)), 121);
}

TEST_F(SentVideoTest, FramesSinceARecoveryFrameAreLostAgainIfTheyTakeAsLong) {
  next(0, base::BitRate::mbps(6), base::Time{14400ms});
  recovery_ = 113;
  EXPECT_FALSE(sent_.lost(unsent(1, base::Time{14680ms}), base::BitRate::mbps(1)));
  EXPECT_EQ(sent_.lost(unsent(1, base::Time{14680ms}), base::BitRate::kbps(100)), 111);
}

}  // namespace
}  // namespace app
