#include "transcoder/encode/group_inbox.h"

#include <gtest/gtest.h>

#include <thread>

namespace transcoder {
namespace {

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

TEST(GroupInboxTest, KeepsTwoSecondsOfAudio) {
  GroupInbox inbox;
  for (std::uint64_t n = 0; n < 100; ++n) inbox.push(audio(n));
  EXPECT_EQ(audio_number(inbox.pop()), 6U);
  EXPECT_EQ(inbox.audio_dropped(), 6U);
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
