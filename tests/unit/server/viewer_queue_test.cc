#include "server/viewer_queue.h"

#include <gtest/gtest.h>

#include "packets.h"

namespace server {
namespace {

using packets::audio;
using packets::frame;
using packets::queued;
using std::chrono::milliseconds;

std::vector<std::uint64_t> drain(ViewerQueue& queue) {
  std::vector<std::uint64_t> numbers;
  while (!queue.empty()) numbers.push_back(queue.pop().packet->number);
  return numbers;
}

/// Pushes the frames `first` to `last`, of which `keyframe` is a keyframe.
void push_frames(ViewerQueue& queue, std::uint64_t first, std::uint64_t last,
                 std::uint64_t keyframe) {
  for (auto number = first; number <= last; ++number) {
    queue.push(queued(frame(number, number == keyframe)));
  }
}

TEST(ViewerQueueTest, ReturnsPacketsInOrder) {
  ViewerQueue queue{milliseconds{1000}};
  push_frames(queue, 0, 20, 0);
  const auto numbers = drain(queue);
  ASSERT_EQ(numbers.size(), 21u);
  EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
  EXPECT_EQ(queue.state().gops_dropped, 0u);
}

TEST(ViewerQueueTest, DropsToTheNewestKeyframeWhenFull) {
  ViewerQueue queue{milliseconds{330}};
  push_frames(queue, 0, 11, 7);  // 0..10 are 330 ms
  EXPECT_EQ(drain(queue), (std::vector<std::uint64_t>{7, 8, 9, 10, 11}));
  EXPECT_EQ(queue.state().frames_dropped, 7u);
  EXPECT_EQ(queue.state().gops_dropped, 1u);
}

TEST(ViewerQueueTest, DiscardsFramesAndKeepsAudio) {
  ViewerQueue queue{milliseconds{1000}};
  queue.push(queued(frame(3, true)));
  queue.push(queued(audio(5)));
  queue.push(queued(frame(4)));
  queue.push(queued(audio(6)));
  EXPECT_EQ(queue.discard_frames(), (media::FrameRange{3, 4}));
  EXPECT_FALSE(queue.has_frame());
  EXPECT_EQ(queue.state().discards, 1u);
  EXPECT_EQ(queue.state().frames_dropped, 2u);
  EXPECT_EQ(queue.pop().packet->number, 5u);
  EXPECT_FALSE(queue.pop().splice) << "audio has no gap";
}

TEST(ViewerQueueTest, AfterADiscardTakesAudioAndARecoveryFrame) {
  ViewerQueue queue{milliseconds{1000}};
  push_frames(queue, 0, 4, 0);
  while (queue.pop().packet->number < 2) {
  }
  EXPECT_EQ(queue.discard_frames(), (media::FrameRange{3, 4}));
  queue.push(queued(frame(5)));
  queue.push(queued(audio(8)));
  queue.push(queued(packets::recovering(6, 4)));  // needs frame 3
  queue.push(queued(packets::recovering(7, 3)));
  queue.push(queued(frame(8)));
  EXPECT_EQ(queue.pop().packet->number, 8u);
  const auto first = queue.pop();
  EXPECT_EQ(first.packet->number, 7u);
  EXPECT_TRUE(first.splice);
  EXPECT_EQ(drain(queue), (std::vector<std::uint64_t>{8}));
  EXPECT_EQ(queue.state().frames_dropped, 4u);
}

TEST(ViewerQueueTest, AfterADiscardTakesAKeyframe) {
  ViewerQueue queue{milliseconds{1000}};
  push_frames(queue, 0, 4, 0);
  queue.discard_frames();
  push_frames(queue, 5, 8, 7);
  EXPECT_EQ(drain(queue), (std::vector<std::uint64_t>{7, 8}));
}

TEST(ViewerQueueTest, ASecondDiscardHasNothingToDrop) {
  ViewerQueue queue{milliseconds{1000}};
  push_frames(queue, 0, 4, 0);
  queue.discard_frames();
  push_frames(queue, 5, 8, 0);
  EXPECT_EQ(queue.discard_frames(), std::nullopt);
  EXPECT_EQ(queue.state().discards, 1u);
}

TEST(ViewerQueueTest, ARecoveryFrameAlsoCoversFramesDroppedWhenFull) {
  ViewerQueue queue{milliseconds{330}};
  push_frames(queue, 1, 12, 0);
  ASSERT_TRUE(queue.empty());
  queue.push(queued(frame(12)));
  EXPECT_EQ(queue.state().missing, (media::FrameRange{1, 12}));
  queue.push(queued(packets::recovering(13, 2)));  // needs frame 1
  queue.push(queued(packets::recovering(14, 1)));
  EXPECT_EQ(queue.state().missing, std::nullopt);
  EXPECT_EQ(drain(queue), (std::vector<std::uint64_t>{14}));
}

TEST(ViewerQueueTest, AfterAPauseTakesAudioAndARecoveryFrame) {
  ViewerQueue queue{milliseconds{1000}};
  push_frames(queue, 0, 2, 0);
  queue.pause();
  queue.push(queued(packets::recovering(3, 3)));  // made for another viewer's missing frames
  queue.push(queued(audio(8)));
  queue.push(queued(frame(4)));
  EXPECT_EQ(queue.state().missing, (media::FrameRange{3, 4}));
  queue.push(queued(packets::recovering(5, 3)));
  queue.push(queued(frame(6)));
  std::vector<std::uint64_t> spliced;
  std::vector<std::uint64_t> numbers;
  while (!queue.empty()) {
    const auto item = queue.pop();
    numbers.push_back(item.packet->number);
    if (item.splice) spliced.push_back(item.packet->number);
  }
  EXPECT_EQ(numbers, (std::vector<std::uint64_t>{0, 1, 2, 8, 5, 6}));
  EXPECT_EQ(spliced, (std::vector<std::uint64_t>{5}));
}

TEST(ViewerQueueTest, ADiscardAfterAPauseMissesTheOlderFramesToo) {
  ViewerQueue queue{milliseconds{1000}};
  push_frames(queue, 1, 2, 1);
  queue.pause();
  queue.push(queued(frame(3)));
  EXPECT_EQ(queue.discard_frames(), (media::FrameRange{1, 3}));
  queue.push(queued(packets::recovering(4, 3)));
  EXPECT_TRUE(queue.empty()) << "it needs frame 2";
  queue.push(queued(packets::recovering(5, 1)));
  EXPECT_EQ(drain(queue), (std::vector<std::uint64_t>{5}));
}

TEST(ViewerQueueTest, ADroppedRecoveryFrameLeavesMissingWhatItRecoveredFrom) {
  ViewerQueue queue{milliseconds{330}};
  push_frames(queue, 0, 1, 0);
  queue.pop();
  queue.discard_frames();
  queue.push(queued(packets::recovering(2, 1)));
  EXPECT_EQ(queue.discard_frames(), (media::FrameRange{1, 2}));
  queue.push(queued(packets::recovering(3, 2)));
  EXPECT_TRUE(queue.empty()) << "it needs frame 1";
  queue.push(queued(packets::recovering(4, 1)));
  for (std::uint64_t i = 5; queue.has_frame(); ++i) queue.push(queued(frame(i)));
  EXPECT_EQ(queue.state().missing->first, 1u) << "a full queue has dropped frame 4";
}

TEST(ViewerQueueTest, ADropToAKeyframeMissesWhatAPauseHasDropped) {
  ViewerQueue queue{milliseconds{1000}};
  for (std::uint64_t i = 0; i < 100; ++i) queue.push(queued(audio(i)));
  queue.push(queued(frame(1, true)));
  queue.pause();
  queue.push(queued(frame(2)));
  for (std::uint64_t i = 100; queue.state().gops_dropped == 0; ++i) queue.push(queued(audio(i)));
  ASSERT_EQ(queue.frames(), 1u);
  queue.push(queued(frame(3)));
  EXPECT_EQ(queue.frames(), 1u) << "it needs frame 2";
}

TEST(ViewerQueueTest, AKeyframeEndsAPause) {
  ViewerQueue queue{milliseconds{1000}};
  queue.pause();
  push_frames(queue, 5, 7, 5);
  EXPECT_EQ(drain(queue), (std::vector<std::uint64_t>{5, 6, 7}));
}

TEST(ViewerQueueTest, MissesNothingAfterDroppingToAKeyframe) {
  ViewerQueue queue{milliseconds{330}};
  push_frames(queue, 0, 11, 7);
  EXPECT_EQ(queue.state().frames_dropped, 7u);
  EXPECT_EQ(queue.state().missing, std::nullopt);
}

TEST(ViewerQueueTest, AudioFarBehindTheVideoIsNoDelay) {
  ViewerQueue queue{milliseconds{330}};
  queue.push(queued(frame(100, true)));
  for (std::uint64_t n = 0; n < 5; ++n) queue.push(queued(audio(n)));
  queue.push(queued(frame(101)));
  EXPECT_EQ(queue.media(), packets::kFrame);
  EXPECT_EQ(queue.state().gops_dropped, 0u);
}

TEST(ViewerQueueTest, ABurstOfFilledInSilenceIsNoDelay) {
  ViewerQueue queue{milliseconds{330}};
  for (std::uint64_t n = 0; n < 100; ++n) queue.push(queued(audio(n)));
  queue.push(queued(frame(100, true)));
  EXPECT_EQ(drain(queue).size(), 101u);
  EXPECT_EQ(queue.state().gops_dropped, 0u);
}

TEST(ViewerQueueTest, DropsAllAndWaitsIfThereIsNoKeyframe) {
  ViewerQueue queue{milliseconds{330}};
  push_frames(queue, 0, 11, 99);
  EXPECT_TRUE(queue.empty());
  queue.push(queued(frame(12)));
  queue.push(queued(audio(30)));
  EXPECT_TRUE(queue.empty());
  queue.push(queued(frame(13, true)));
  EXPECT_EQ(drain(queue), (std::vector<std::uint64_t>{13}));
  EXPECT_EQ(queue.state().frames_dropped, 13u);
  EXPECT_EQ(queue.state().gops_dropped, 1u);
}

TEST(ViewerQueueTest, CountsTheAudioFramesItDrops) {
  ViewerQueue queue{milliseconds{330}};
  queue.push(queued(audio(1)));
  queue.push(queued(audio(2)));
  push_frames(queue, 0, 11, 99);
  EXPECT_EQ(queue.state().audio_frames_dropped, 2u);
  queue.push(queued(audio(3)));
  EXPECT_EQ(queue.state().audio_frames_dropped, 3u) << "it waits for the next frame";
  queue.push(queued(frame(13, true)));
  queue.push(queued(audio(4)));
  EXPECT_EQ(drain(queue), (std::vector<std::uint64_t>{13, 4}));
  EXPECT_EQ(queue.state().audio_frames_dropped, 3u);
}

TEST(ViewerQueueTest, DropsAllIfTheOldestFrameIsTheOnlyKeyframe) {
  ViewerQueue queue{milliseconds{330}};
  push_frames(queue, 0, 11, 0);
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.state().gops_dropped, 1u);
}

TEST(ViewerQueueTest, SplicesBothKindsAfterADrop) {
  ViewerQueue queue{milliseconds{330}};
  push_frames(queue, 0, 11, 7);
  queue.push(queued(audio(20)));
  queue.push(queued(audio(21)));
  EXPECT_TRUE(queue.pop().splice);
  for (int i = 8; i <= 11; ++i) EXPECT_FALSE(queue.pop().splice) << i;
  EXPECT_TRUE(queue.pop().splice);
  EXPECT_FALSE(queue.pop().splice);
}

TEST(ViewerQueueTest, LetsAJoinerBeLateUntilItHasCaughtUp) {
  ViewerQueue queue{milliseconds{330}};
  queue.grant(milliseconds{300});
  push_frames(queue, 0, 15, 0);  // 495 ms
  EXPECT_EQ(queue.state().gops_dropped, 0u);
  drain(queue);
  push_frames(queue, 16, 31, 0);
  EXPECT_EQ(queue.state().gops_dropped, 1u);
}

TEST(ViewerQueueTest, HoldsTheLongestConfigurableBound) {
  ViewerQueue queue{std::chrono::seconds{30}};
  std::uint64_t audio_frames = 0;
  for (std::uint64_t n = 0; n <= 30 * 60; ++n) {
    auto copy = std::make_shared<media::Packet>(*frame(n, n == 0));
    copy->pts = n * std::chrono::seconds{1} / 60;
    queue.push(queued(copy));
    while (audio_frames * packets::kAudio <= copy->pts) queue.push(queued(audio(audio_frames++)));
  }
  EXPECT_EQ(queue.state().gops_dropped, 0u);
  EXPECT_EQ(drain(queue).size(), 1801 + audio_frames);
}

TEST(ViewerQueueTest, IsBoundedIfTimestampsStandStill) {
  ViewerQueue queue{milliseconds{330}};
  auto still = std::make_shared<media::Packet>();
  still->ts.resize(188);
  for (int i = 0; i < 100000; ++i) queue.push(queued(still));
  EXPECT_LE(queue.state().bytes.bytes(), 4096 * 188);
  EXPECT_GT(queue.state().gops_dropped, 0u);
}

TEST(ViewerQueueTest, CountsBytesAndMediaTime) {
  ViewerQueue queue{milliseconds{330}};
  push_frames(queue, 0, 2, 0);
  EXPECT_EQ(queue.state().bytes.bytes(), 3 * 2 * 188);
  EXPECT_EQ(queue.media(), milliseconds{66});
  EXPECT_TRUE(queue.has_frame());
  drain(queue);
  EXPECT_EQ(queue.state().bytes.bytes(), 0);
  EXPECT_EQ(queue.media(), milliseconds{0});
  EXPECT_FALSE(queue.has_frame());
}

}  // namespace
}  // namespace server
