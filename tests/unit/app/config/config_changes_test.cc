#include "app/config/config_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace app {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ConfigChangesTest, NamesTheKeysOfTheServer) {
  const auto running = default_config();
  auto wanted = running;
  EXPECT_THAT(keys_for_restart(running, wanted), IsEmpty());
  wanted.server.listen = {*server::Endpoint::parse("127.0.0.1:9000")};
  wanted.server.cors_allow = {*server::Origin::parse("https://a.example")};
  wanted.page.title = "Village TV";
  wanted.trace_directory = "/tmp";
  EXPECT_THAT(keys_for_restart(running, wanted),
              ElementsAre("server.listen", "server.cors_allow", "page.title", "trace.directory"));
}

TEST(ConfigChangesTest, NamesTheKeysOfAStream) {
  const auto running = default_config().streams.front();
  auto wanted = running;
  EXPECT_THAT(keys_for_restart(running, wanted), IsEmpty());
  wanted.media.source.uri = "test:?fps=25";
  wanted.media.video.max_height = 1080;
  wanted.control.groups.max = 3;
  wanted.points.bits_per_pixel = 0;
  wanted.segments.enabled = false;
  EXPECT_THAT(keys_for_restart(running, wanted),
              ElementsAre("source.uri", "video.max_height", "groups.max",
                          "scaling.min_bits_per_pixel", "segments.enabled"));
}

TEST(ConfigChangesTest, LeavesOutWhatAReloadChanges) {
  const auto running = default_config();
  auto wanted = running;
  wanted.log_level = base::log::Level::kDebug;
  wanted.metrics_max_viewers = 7;
  auto& stream = wanted.streams.front();
  stream.control.rate.max = base::BitRate::mbps(9);
  stream.control.policy = abr::PolicyKind::kOff;
  stream.tcp.pacing = 2;
  EXPECT_THAT(keys_for_restart(running, wanted), IsEmpty());
  EXPECT_THAT(keys_for_restart(running.streams.front(), stream), IsEmpty());
}

TEST(ConfigChangesTest, RoutesAreThoseOfTheServer) {
  const auto running = default_config();
  auto wanted = running;
  wanted.streams.front().tcp.networks = {
      {.network = *server::Network::parse("10.0.0.0/8"), .initcwnd = 30}};
  EXPECT_THAT(keys_for_restart(running, wanted), ElementsAre("tcp.network (initcwnd)"));
}

}  // namespace
}  // namespace app
