#include "segments/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using segments::Rendition;
using segments::Target;
using Kind = segments::Target::Kind;

TEST(TargetTest, ParsesPathsThatStartASession) {
  EXPECT_EQ(Target::parse("/live/index.m3u8")->kind, Kind::kMultivariant);
  EXPECT_EQ(Target::parse("/live/manifest.mpd")->kind, Kind::kManifest);
  EXPECT_EQ(Target::parse("/live/manifest.mpd")->stream, "live");
}

TEST(TargetTest, ParsesPathsOfASession) {
  const auto part = Target::parse("/live/0123456789abcdef/v2/17.3.m4s");
  ASSERT_TRUE(part);
  EXPECT_EQ(part->kind, Kind::kPart);
  EXPECT_EQ(part->session, "0123456789abcdef");
  EXPECT_EQ(part->rendition, (Rendition{Rendition::Kind::kRung, 2}));
  EXPECT_EQ(part->number, 17u);
  EXPECT_EQ(part->part, 3u);
  EXPECT_EQ(Target::parse("/live/0123456789abcdef/auto/0.m4s")->kind, Kind::kSegment);
  EXPECT_EQ(Target::parse("/live/0123456789abcdef/audio/playlist.m3u8")->kind, Kind::kPlaylist);
  EXPECT_EQ(Target::parse("/live/0123456789abcdef/v0/init-4.mp4")->number, 4u);
  EXPECT_EQ(Target::parse("/live/0123456789abcdef/v0/init.mp4")->kind, Kind::kNewestInit);
}

TEST(TargetTest, AStreamHasAClockWithAndWithoutASession) {
  for (const auto* path : {"/live/time", "/live/0123456789abcdef/time"}) {
    EXPECT_EQ(Target::parse(path)->kind, Target::Kind::kTime) << path;
  }
}

TEST(TargetTest, RejectsOtherPaths) {
  for (const char* path :
       {"/live.ts", "/index.m3u8", "//index.m3u8", "/live/", "/live/index.m3u8/",
        "/live/0123456789ABCDEF/v0/1.m4s", "/live/0123456789abcde/v0/1.m4s",
        "/live/0123456789abcdef/v/1.m4s", "/live/0123456789abcdef/x/1.m4s",
        "/live/0123456789abcdef/v0/.m4s", "/live/0123456789abcdef/v0/01.m4s",
        "/live/0123456789abcdef/v0/-1.m4s", "/live/0123456789abcdef/v0/1.2.3.m4s",
        "/live/0123456789abcdef/v0/99999999999999999999.m4s", "/live/0123456789abcdef/v0/1.mp4",
        "/live/0123456789abcdef/v0/init-.mp4", "/live/0123456789abcdef/v00/1.m4s"}) {
    EXPECT_FALSE(Target::parse(path)) << path;
  }
}

TEST(RenditionTest, TextIsParsedBack) {
  for (const auto rendition :
       {Rendition{Rendition::Kind::kAuto, 0}, Rendition{Rendition::Kind::kRung, 12},
        Rendition{Rendition::Kind::kAudio, 0}}) {
    EXPECT_EQ(Rendition::parse(rendition.text()), rendition);
  }
}

}  // namespace
