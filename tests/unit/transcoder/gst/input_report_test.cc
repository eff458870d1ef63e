#include "transcoder/gst/input_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace transcoder {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Key;
using testing::Pair;
using namespace std::chrono_literals;

/// The troubles once a usual keyframe would have come.
auto troubles(const InputReport& report) { return report.report(base::Clock::now() + 5s).troubles; }

TEST(InputReportTest, NothingIsNoTrouble) {
  const InputReport report;
  EXPECT_THAT(troubles(report), IsEmpty());
  EXPECT_EQ(report.report(base::Clock::now()).data, std::nullopt);
}

TEST(InputReportTest, DataWithoutATrackOfPictures) {
  InputReport report;
  const auto before = base::Clock::now();
  report.data_arrived();
  EXPECT_GE(report.report(base::Clock::now()).data, before);
  EXPECT_THAT(report.report(before + 3s).troubles, IsEmpty()) << "it is too early to say";
  EXPECT_THAT(troubles(report), ElementsAre(Key(SourceTrouble::kNoPictures)));
  report.track_arrived(TrackKind::kAudio);
  EXPECT_THAT(troubles(report), ElementsAre(Key(SourceTrouble::kNoPictures)));
  report.raise(SourceTrouble::kAudioOnly);
  EXPECT_THAT(troubles(report), ElementsAre(Key(SourceTrouble::kAudioOnly)));
}

TEST(InputReportTest, AudioThatCannotBeDecodedIsAllThatComes) {
  InputReport report;
  report.data_arrived();
  report.raise(SourceTrouble::kAudioBroken, "64 channels");
  EXPECT_THAT(troubles(report), Contains(Pair(SourceTrouble::kNoPictures, "audio: 64 channels")));
}

TEST(InputReportTest, PicturesWithoutAKeyframe) {
  InputReport report;
  report.data_arrived();
  report.track_arrived(TrackKind::kPictures);
  EXPECT_THAT(troubles(report), ElementsAre(Pair(SourceTrouble::kNoKeyframe, "")));
  report.suspect_of_keyframes("a hint");
  EXPECT_THAT(troubles(report), ElementsAre(Pair(SourceTrouble::kNoKeyframe, "a hint")));
  report.picture_decoded();
  EXPECT_THAT(troubles(report), IsEmpty());
}

TEST(InputReportTest, EncryptionExplainsTheRest) {
  InputReport report;
  report.data_arrived();
  report.track_arrived(TrackKind::kPictures);
  report.raise(SourceTrouble::kScrambled);
  EXPECT_THAT(troubles(report), ElementsAre(Key(SourceTrouble::kScrambled)));
  report.clear(SourceTrouble::kScrambled);
  EXPECT_THAT(troubles(report), ElementsAre(Key(SourceTrouble::kNoKeyframe)));
}

}  // namespace
}  // namespace transcoder
