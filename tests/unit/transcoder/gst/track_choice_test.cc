#include "transcoder/gst/track_choice.h"

#include <gtest/gtest.h>

#include <vector>

namespace transcoder {
namespace {

const AudioTrack kDescription{.language = "en", .visually_impaired = true};
const AudioTrack kEnglish{.language = "en"};
const AudioTrack kFrench{.language = "fr", .marked_default = true};

TEST(TrackChoiceTest, PlaysTheDefaultTrack) {
  EXPECT_EQ(choose_audio(std::vector{kEnglish, kFrench}, ""), 1u);
  EXPECT_EQ(choose_audio(std::vector{kEnglish, kEnglish}, ""), 0u);
}

TEST(TrackChoiceTest, PlaysAnAudioDescriptionOnlyIfThereIsNothingElse) {
  EXPECT_EQ(choose_audio(std::vector{kDescription, kEnglish}, ""), 1u);
  EXPECT_EQ(choose_audio(std::vector{kDescription, kEnglish}, "en"), 1u);
  EXPECT_EQ(choose_audio(std::vector{kDescription}, ""), 0u);
}

TEST(TrackChoiceTest, PlaysTheLanguageThatIsWanted) {
  EXPECT_EQ(choose_audio(std::vector{kFrench, kEnglish}, "en"), 1u);
  EXPECT_EQ(choose_audio(std::vector{kFrench, kDescription}, "en"), 1u);
}

TEST(TrackChoiceTest, CountsTracksFromOne) {
  EXPECT_EQ(choose_audio(std::vector{kDescription, kFrench}, "1"), 0u);
  EXPECT_EQ(choose_audio(std::vector{kDescription, kEnglish}, "2"), 1u);
}

TEST(TrackChoiceTest, AWishThatCannotBeMetIsNone) {
  EXPECT_EQ(choose_audio(std::vector{kEnglish, kFrench}, "3"), 1u);
  EXPECT_EQ(choose_audio(std::vector{kEnglish, kFrench}, "0"), 1u);
  EXPECT_EQ(choose_audio(std::vector{kEnglish, kFrench}, "sv"), 1u);
}

TEST(TrackChoiceTest, PlaysNothing) {
  EXPECT_EQ(choose_audio(std::vector{kEnglish}, "none"), std::nullopt);
  EXPECT_EQ(choose_audio({}, ""), std::nullopt);
}

}  // namespace
}  // namespace transcoder
