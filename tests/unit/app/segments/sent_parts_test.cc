#include "app/segments/sent_parts.h"

#include <gmock/gmock.h>

#include <vector>

namespace app {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::Optional;

constexpr std::size_t kSize = 1000;
constexpr base::Time kRequest{100s};

/// One connection, whose parts all have kSize bytes.
class SentPartsTest : public testing::Test {
 protected:
  /// A part whose last frame was captured at `captured`.
  void send(base::Time captured, bool latency_critical = false) {
    parts_.add({.size = kSize, .captured = captured, .latency_critical = latency_critical}, 0);
  }
  /// Since when the player has waited for each of the next `count` parts.
  std::vector<std::optional<base::Time>> awaited(std::size_t count) {
    std::vector<std::optional<base::Time>> all;
    parts_.take(acked_ += count * kSize, [&](const auto& part) { all.push_back(part.awaited); });
    return all;
  }

  SentParts parts_;
  std::uint64_t acked_ = 0;
};

TEST_F(SentPartsTest, TellsWhetherVideoIsUnderWay) {
  parts_.add({.size = kSize, .captured = kRequest, .video = false}, 0);
  EXPECT_FALSE(parts_.has_video());
  send(kRequest);
  EXPECT_TRUE(parts_.has_video());
  awaited(2);
  EXPECT_FALSE(parts_.has_video());
}

TEST_F(SentPartsTest, APartThatIsRequestedBeforeItIsMadeIsAwaitedFromItsCapture) {
  parts_.on_request(kRequest);
  send(kRequest + 300ms);
  EXPECT_THAT(awaited(1), ElementsAre(Optional(kRequest + 300ms)));
}

TEST_F(SentPartsTest, APartThatIsRequestedLateIsAwaitedFromTheRequest) {
  parts_.on_request(kRequest);
  send(kRequest - 20s);
  EXPECT_THAT(awaited(1), ElementsAre(Optional(kRequest)))
      << "before, the player did not want it: it has a buffer";
}

TEST_F(SentPartsTest, OfASegmentThatWasThereOnlyTheFirstPartIsAwaited) {
  parts_.on_request(kRequest);
  for (auto age : {6s, 5s, 4s}) send(kRequest - age);
  EXPECT_THAT(awaited(3), ElementsAre(Optional(kRequest), std::nullopt, std::nullopt));
}

TEST_F(SentPartsTest, EachPartThatIsMadeWhileItsSegmentIsSentIsAwaited) {
  parts_.on_request(kRequest);
  for (auto after : {100ms, 500ms, 900ms}) send(kRequest + after);
  EXPECT_THAT(awaited(3), ElementsAre(Optional(kRequest + 100ms), Optional(kRequest + 500ms),
                                      Optional(kRequest + 900ms)))
      << "also those that wait behind others: the path is too slow";
}

TEST_F(SentPartsTest, APartBehindOldOnesIsAwaitedOnlyOnceTheyHaveArrived) {
  parts_.on_request(kRequest);
  send(kRequest - 2s);
  send(kRequest - 1s);
  send(kRequest + 100ms);
  EXPECT_THAT(awaited(3), ElementsAre(Optional(kRequest), std::nullopt, std::nullopt));
  send(kRequest + 500ms);
  EXPECT_THAT(awaited(1), ElementsAre(Optional(kRequest + 500ms)));
}

TEST_F(SentPartsTest, ARequestShowsThatAllBeforeHasArrived) {
  parts_.on_request(kRequest);
  send(kRequest - 2s);
  send(kRequest - 1s);
  parts_.on_request(kRequest + 50ms);
  send(kRequest - 500ms);
  EXPECT_THAT(awaited(3), ElementsAre(Optional(kRequest), std::nullopt, Optional(kRequest + 50ms)));
}

TEST_F(SentPartsTest, TakesOnlyPartsThatAreAcknowledgedToTheEnd) {
  std::vector<base::Time> taken;
  const auto take = [&](std::uint64_t acked) {
    parts_.take(acked, [&](const auto& part) { taken.push_back(part.captured); });
  };
  parts_.add({.size = 100, .captured = base::Time{1s}}, 400);  // after a playlist of 400 bytes
  parts_.add({.size = 100, .captured = base::Time{2s}}, 400);
  take(599);
  EXPECT_THAT(taken, ElementsAre(base::Time{1s}));
  take(600);
  EXPECT_THAT(taken, ElementsAre(base::Time{1s}, base::Time{2s}));
  EXPECT_TRUE(parts_.empty());
}

TEST_F(SentPartsTest, IsLateByTheOldestPartThatIsToBeShownSoon) {
  EXPECT_EQ(parts_.late(kRequest), 0s);
  send(kRequest - 1s, true);
  send(kRequest, true);
  EXPECT_EQ(parts_.late(kRequest + 1s), 2s);
  awaited(1);
  EXPECT_EQ(parts_.late(kRequest + 1s), 1s);
}

TEST_F(SentPartsTest, APartBehindOldOnesIsNotLate) {
  send(kRequest - 20s, false);
  send(kRequest, true);
  EXPECT_EQ(parts_.late(kRequest + 1s), 0s);
}

}  // namespace
}  // namespace app
