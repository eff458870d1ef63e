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

media::AudioFramePtr sound(std::uint64_t number) {
  auto made = std::make_shared<media::AudioFrame>();
  made->number = number;
  return made;
}

std::uint64_t frame_number(const std::optional<GroupInbox::Item>& item) {
  return std::get<media::FramePtr>(item.value())->number;
}

std::uint64_t sound_number(const std::optional<GroupInbox::Item>& item) {
  return std::get<media::AudioFramePtr>(item.value())->number;
}

TEST(GroupInboxTest, KeepsTheTwoNewestPictures) {
  GroupInbox inbox;
  for (std::uint64_t n = 0; n < 5; ++n) inbox.push(frame(n));
  EXPECT_EQ(frame_number(inbox.pop()), 3U);
  EXPECT_EQ(frame_number(inbox.pop()), 4U);
  EXPECT_EQ(inbox.frames_dropped(), 3U);
}

TEST(GroupInboxTest, KeepsTwoSecondsOfSound) {
  GroupInbox inbox;
  for (std::uint64_t n = 0; n < 100; ++n) inbox.push(sound(n));
  EXPECT_EQ(sound_number(inbox.pop()), 6U);
  EXPECT_EQ(inbox.audio_dropped(), 6U);
}

TEST(GroupInboxTest, SoundGoesFirst) {
  GroupInbox inbox;
  inbox.push(frame(1));
  inbox.push(sound(2));
  EXPECT_EQ(sound_number(inbox.pop()), 2U);
  EXPECT_EQ(frame_number(inbox.pop()), 1U);
}

TEST(GroupInboxTest, CloseEndsAWaitingPop) {
  GroupInbox inbox;
  std::jthread reader{[&] { EXPECT_FALSE(inbox.pop()); }};
  inbox.close();
}

TEST(GroupInboxTest, CloseForgetsWhatWaits) {
  GroupInbox inbox;
  inbox.push(frame(1));
  inbox.close();
  EXPECT_FALSE(inbox.pop());
}

}  // namespace
}  // namespace transcoder
