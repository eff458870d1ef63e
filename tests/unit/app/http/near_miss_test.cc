#include "app/http/near_miss.h"

#include <gtest/gtest.h>

#include <utility>

namespace app {
namespace {

const std::vector<std::string> kStreams{"live", "cam.2"};

TEST(NearMissTest, FindsWhatOtherServersHave) {
  for (const auto& [guess, meant] : std::vector<std::pair<std::string, std::string>>{
           {"/live.m3u8", "/live/index.m3u8"},
           {"/live/playlist.m3u8", "/live/index.m3u8"},
           {"/live/master.m3u8", "/live/index.m3u8"},
           {"/hls/live.m3u8", "/live/index.m3u8"},
           {"/hls/live/index.m3u8", "/live/index.m3u8"},
           {"/live.mpd", "/live/manifest.mpd"},
           {"/live/index.mpd", "/live/manifest.mpd"},
           {"/live/live.flv", "/live.flv"},
           {"/app/live.flv", "/live.flv"},
           {"/live/stream.ts", "/live.ts"},
           {"//live.ts", "/live.ts"},
           {"/cam.2.m3u8", "/cam.2/index.m3u8"},
           {"/live/", "/live"},
           {"/watch/live", "/live"}}) {
    EXPECT_EQ(near_miss(guess, kStreams), meant) << guess;
  }
}

TEST(NearMissTest, FindsNothingElse) {
  for (const auto* path :
       {"/", "", "/nothing", "/nothing.m3u8", "/nothing/index.m3u8", "/live", "/live.ts",
        "/live/index.m3u8", "/live/nothing", "/live.m3u8x", "/.m3u8"}) {
    EXPECT_EQ(near_miss(path, kStreams), std::nullopt) << path;
  }
}

TEST(NearMissTest, RelativePathsClimb) {
  EXPECT_EQ(relative_path("/live.m3u8", "/live/index.m3u8"), "live/index.m3u8");
  EXPECT_EQ(relative_path("/hls/live.m3u8", "/live/index.m3u8"), "../live/index.m3u8");
  EXPECT_EQ(relative_path("/live/", "/live"), "../live");
  EXPECT_EQ(relative_path("//live.ts", "/live.ts"), "../live.ts");
}

TEST(NearMissTest, SuggestsTheNearestStream) {
  EXPECT_EQ(unknown_stream("lvie", kStreams),
            "there is no stream \"lvie\"; did you mean \"live\"?");
  EXPECT_EQ(unknown_stream("x", kStreams), "there is no stream \"x\"; see /api/v1/streams");
}

}  // namespace
}  // namespace app
