#include "transcoder/encode/audio_choice.h"

#include <gtest/gtest.h>

namespace transcoder {
namespace {

using media::AudioWindow;

constexpr auto kLong = AudioWindow::kLongKbd;
constexpr auto kShort = AudioWindow::kShortSine;
constexpr auto kUnknown = AudioWindow::kUnknown;

media::CodedAudio coded(AudioWindow begins, AudioWindow ends) {
  return {.bytes = {1}, .begins = begins, .ends = ends};
}

media::AudioFrame frame(media::CodedAudio first, media::CodedAudio second) {
  return {.rungs = {std::move(first), std::move(second)}};
}

const media::CodedAudio kSteady = coded(kLong, kLong);

TEST(AudioChoiceTest, BeginsWithTheRungThatIsWanted) {
  EXPECT_EQ(AudioChoice{}.take(frame(kSteady, coded(kUnknown, kLong)), 1), 1U);
}

TEST(AudioChoiceTest, ChangesAtOnceWhereTheWindowsAgree) {
  AudioChoice choice;
  EXPECT_EQ(choice.take(frame(kSteady, kSteady), 0), 0U);
  EXPECT_EQ(choice.take(frame(kSteady, kSteady), 1), 1U);
  EXPECT_EQ(choice.take(frame(kSteady, kSteady), 0), 0U);
}

TEST(AudioChoiceTest, WaitsUntilTheWindowsAgree) {
  AudioChoice choice;
  choice.take(frame(coded(kLong, kShort), kSteady), 0);
  EXPECT_EQ(choice.take(frame(coded(kShort, kLong), kSteady), 1), 0U);
  EXPECT_EQ(choice.take(frame(kSteady, kSteady), 1), 1U);
}

TEST(AudioChoiceTest, AnUnknownWindowAgreesWithNone) {
  AudioChoice choice;
  choice.take(frame(coded(kLong, kUnknown), coded(kLong, kUnknown)), 0);
  EXPECT_EQ(choice.take(frame(coded(kUnknown, kLong), coded(kUnknown, kLong)), 1), 0U);
}

TEST(AudioChoiceTest, KeepsItsRungWhileTheOtherIsMissing) {
  AudioChoice choice;
  choice.take(frame(kSteady, kSteady), 0);
  EXPECT_EQ(choice.take(frame(kSteady, {}), 1), 0U);
}

TEST(AudioChoiceTest, TakesAnyRungRatherThanNone) {
  AudioChoice choice;
  choice.take(frame(kSteady, kSteady), 1);
  EXPECT_EQ(choice.take(frame(coded(kShort, kLong), {}), 1), 0U);
  EXPECT_EQ(choice.take(frame(kSteady, kSteady), 1), 1U);
}

TEST(AudioChoiceTest, TakesNothingOfAFrameWithoutRungs) {
  EXPECT_EQ(AudioChoice{}.take({}, 0), std::nullopt);
}

}  // namespace
}  // namespace transcoder
