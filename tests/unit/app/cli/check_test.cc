#include "app/cli/check.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "app/config/config_text.h"
#include "test_files.h"

namespace app {
namespace {

std::string checked(const CommandLine& line) {
  std::ostringstream out;
  check(line, out);
  return out.str();
}

TEST(CheckTest, NamesStreamsAndAddresses) {
  const TemporaryFile file;
  file.write(
      "[[stream]]\nname = \"a\"\nsource = \"test:\"\n"
      "[[stream]]\nname = \"b\"\nsource = \"test:\"\n");
  EXPECT_EQ(checked({.config_path = file.path()}),
            file.path() + ": ok (2 streams: a, b; on [::]:8080)\n");
}

TEST(CheckTest, WarnsOfAFileThatIsNotThere) {
  const TemporaryFile file;
  file.write("[[stream]]\nname = \"a\"\nsource = \"file:/no/such/film.mp4\"\n");
  EXPECT_EQ(checked({.config_path = file.path()}),
            file.path() +
                ": warning: stream a: no file '/no/such/film.mp4'; check the path in the "
                "source's URI\n" +
                file.path() + ": ok (1 stream: a; on [::]:8080)\n");
}

TEST(CheckTest, WarnsOfAPublisherThatCannotCome) {
  const TemporaryFile file;
  file.write("[[stream]]\nname = \"obs\"\nsource = \"rtmp://0.0.0.0/live/obs\"\n");
  EXPECT_THAT(checked({.config_path = file.path()}),
              testing::HasSubstr(": warning: stream obs: RTMP publishing is not supported: "));
}

TEST(CheckTest, WarnsOfPicturesThatTheRateNeverAllows) {
  const TemporaryFile file;
  const std::string size = "[video]\nmax_width = 1920\nmax_height = 1080\nmax_frame_rate = 60\n";
  file.write(size + "[rate]\nmax = \"8M\"\n");
  EXPECT_EQ(checked({.config_path = file.path()}),
            file.path() + ": ok (1 stream: live; on [::]:8080)\n");
  file.write(size);
  EXPECT_EQ(checked({.config_path = file.path()}),
            file.path() +
                ": warning: stream live: viewers never get pictures of 1920x1080 at 60 frames per "
                "second, which need 6.3M, and rate.max is 5M; raise rate.max, or lower "
                "video.max_height, video.max_frame_rate or scaling.min_bits_per_pixel\n" +
                file.path() + ": ok (1 stream: live; on [::]:8080)\n");
}

TEST(CheckTest, ShowsTheConfigurationInEffect) {
  const TemporaryFile file;
  file.write("[rate]\nmax = \"1M\"\n");
  EXPECT_THAT(checked({.config_path = file.path(), .show = true}),
              testing::HasSubstr("rate.max = \"1M\""));
}

TEST(CheckTest, NamesTheFilesOfConfD) {
  const TemporaryFile file;
  file.write("");
  file.write("conf.d/cam.toml", "[[stream]]\nname = \"cam\"\nsource = \"test:\"\n");
  file.write("conf.d/rates.toml", "[rate]\nmax = \"2M\"\n");
  EXPECT_EQ(
      checked({.config_path = file.path()}),
      file.path() + ": ok (1 stream: cam; on [::]:8080; with cam.toml, rates.toml of conf.d)\n");
}

TEST(CheckTest, WarnsOfSecretsThatEverybodyCanRead) {
  namespace fs = std::filesystem;
  const TemporaryFile file;
  file.write("");
  file.write("secrets.toml", "NAME = \"value\"\n");
  const auto secrets = file.directory() / "secrets.toml";
  fs::permissions(secrets, fs::perms::owner_read | fs::perms::group_read);
  const auto ok = file.path() + ": ok (1 stream: live; on [::]:8080)\n";
  EXPECT_EQ(checked({.config_path = file.path()}), ok);
  fs::permissions(secrets, fs::perms::others_read, fs::perm_options::add);
  EXPECT_EQ(checked({.config_path = file.path()}),
            fmt::format("{0}: warning: every user can read it; run chmod o-r {0}\n{1}",
                        secrets.string(), ok));
}

TEST(CheckTest, ReferenceNeedsNoFile) {
  EXPECT_EQ(checked({.reference = true}), reference_config());
}

TEST(CheckTest, MistakesThrow) {
  const TemporaryFile file;
  file.write("nonsense = 1\n");
  EXPECT_THROW(checked({.config_path = file.path()}), ConfigError);
}

}  // namespace
}  // namespace app
