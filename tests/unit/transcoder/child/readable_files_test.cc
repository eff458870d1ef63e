#include "transcoder/child/readable_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace transcoder {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

TEST(ReadableFilesTest, PathsInALaunchText) {
  EXPECT_THAT(paths_in("gst:videotestsrc ! videoconvert"), IsEmpty());
  EXPECT_THAT(paths_in("gst:filesrc location=/a/b.ts ! tsdemux name=d d.video_0"),
              ElementsAre("/a/b.ts"));
  EXPECT_THAT(paths_in("gst:filesrc location=\"/a b/c.ts\" ! v4l2src device='/dev/video2'"),
              ElementsAre("/a b/c.ts", "/dev/video2"));
  EXPECT_THAT(paths_in("gst:filesrc location=/a\\ b.ts"), ElementsAre("/a b.ts"));
  EXPECT_THAT(paths_in("gst:multifilesrc location=/frames/%05d.png index=1"),
              ElementsAre("/frames"));
  EXPECT_THAT(paths_in("gst:filesrc location = /a.ts"), ElementsAre("/a.ts"));
  EXPECT_THAT(paths_in("gst:filesrc location=clip.ts"),
              ElementsAre(std::filesystem::current_path() / "clip.ts"));
}

TEST(ReadableFilesTest, ASourceReadsTheFileThatItIs) {
  EXPECT_THAT(readable_files("file:/srv/a.mp4"), Contains("/srv/a.mp4"));
  EXPECT_THAT(readable_files("file:/srv/a.mp4"), Not(Contains("/srv")));
  EXPECT_THAT(readable_files("file:///srv/a%20b.mp4"), Contains("/srv/a b.mp4"));
  EXPECT_EQ(readable_files("http://a/srv/a.mp4"), readable_files("srt://:9000"));
}

TEST(ReadableFilesTest, OnlyALaunchTextUsesServices) {
  EXPECT_THAT(service_folders("gst:pulsesrc ! fakesink"), Contains("/run/pulse"));
  EXPECT_THAT(service_folders("file:/srv/a.mp4"), IsEmpty());
}

}  // namespace
}  // namespace transcoder
