#include "transcoder/encode/group_inbox.h"

#include <gtest/gtest.h>

#include <thread>

#include "transcoder/encode/audio_aligner.h"

namespace transcoder {
namespace {

using namespace std::chrono_literals;

media::FramePtr frame(std::uint64_t number) {
  auto made = std::make_shared<media::Frame>();
  made->number = number;
  return made;
}

media::AudioFramePtr audio(std::uint64_t number) {
  auto made = std::make_shared<media::AudioFrame>();
  made->number = number;
  return made;
}

std::uint64_t frame_number(const std::optional<GroupInbox::Item>& item) {
  return std::get<media::FramePtr>(item.value())->number;
}

std::uint64_t audio_number(const std::optional<GroupInbox::Item>& item) {
  return std::get<media::AudioFramePtr>(item.value())->number;
}

TEST(GroupInboxTest, KeepsTheTwoNewestPictures) {
  GroupInbox inbox;
  for (std::uint64_t n = 0; n < 5; ++n) inbox.push(frame(n));
  EXPECT_EQ(frame_number(inbox.pop()), 3U);
  EXPECT_EQ(frame_number(inbox.pop()), 4U);
  EXPECT_EQ(inbox.frames_dropped(), 3U);
}

/// A stream's thread fills a gap with silence faster than a group on a busy machine takes it.
TEST(GroupInboxTest, KeepsTheSilenceOfTheLongestGap) {
  AudioAligner aligner;
  GroupInbox inbox;
  std::uint64_t count = 0;
  for (const auto video : {0ms, 9980ms}) {
    for (const auto& block : aligner.advance(video)) {
      inbox.push(audio(count++));
      EXPECT_EQ(block.index + 1, static_cast<std::int64_t>(count));
    }
  }
  EXPECT_GT(count, 460U);
  EXPECT_EQ(audio_number(inbox.pop()), 0U);
  EXPECT_EQ(inbox.audio_dropped(), 0U);
}

TEST(GroupInboxTest, KeepsTheNewestAudio) {
  GroupInbox inbox;
  for (std::uint64_t n = 0; n < 1000; ++n) inbox.push(audio(n));
  const auto oldest = audio_number(inbox.pop());
  EXPECT_EQ(inbox.audio_dropped(), oldest);
  EXPECT_GE(1000 - oldest, kMaxFillBlocks + 94);  // and two seconds
  EXPECT_LE(1000 - oldest, 600U);
}

TEST(GroupInboxTest, AudioGoesFirst) {
  GroupInbox inbox;
  inbox.push(frame(1));
  inbox.push(audio(2));
  EXPECT_EQ(audio_number(inbox.pop()), 2U);
  EXPECT_EQ(frame_number(inbox.pop()), 1U);
}

TEST(GroupInboxTest, CloseEndsAWaitingPop) {
  GroupInbox inbox;
  std::jthread reader{[&] { EXPECT_FALSE(inbox.pop()); }};
  inbox.close();
}

TEST(GroupInboxTest, CloseDropsWaitingItems) {
  GroupInbox inbox;
  inbox.push(frame(1));
  inbox.close();
  EXPECT_FALSE(inbox.pop());
}

}  // namespace
}  // namespace transcoder
