#include "transcoder/gst/picture_guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "transcoder/gst/gst_pipeline.h"

namespace transcoder {
namespace {

using ::testing::StartsWith;
using namespace std::chrono_literals;
using Bytes = std::vector<std::uint8_t>;

constexpr PictureSize kMost{640, 360};

/// A source with this URI, until its end, or its first picture. A source that has failed is never
/// taken down, as in the product, whose process then just ends: in GStreamer 1.22, decodebin takes
/// its chain down with a lock for which a thread of that chain may wait, and both wait for ever.
struct Outcome {
  explicit Outcome(const std::string& uri, PictureSize most = kMost, bool at_once = true) {
    SourceSettings settings;
    settings.uri = uri;
    settings.max_size = most;
    auto owned = std::make_unique<GstPipeline>(settings, VideoSettings{},
                                               std::make_shared<InputReport>(), [] {});
    auto& pipeline = *owned;
    pipeline.play();
    const auto deadline = base::Clock::now() + 30s;
    while (!(played && at_once) && end.reason.empty() && base::Clock::now() < deadline) {
      played = pipeline.take_frame().has_value() || played;
      end = pipeline.error();
      std::this_thread::sleep_for(5ms);
    }
    static auto& failed = *new std::vector<std::unique_ptr<GstPipeline>>;
    if (!end.reason.empty()) failed.push_back(std::move(owned));
  }

  SourceEnd end;
  bool played = false;
};

void expect_refused(const Outcome& outcome, const std::string& size) {
  EXPECT_FALSE(outcome.played);
  EXPECT_EQ(outcome.end.cause, SourceEnd::Cause::kRefused);
  EXPECT_THAT(outcome.end.reason,
              StartsWith("the picture is " + size + "; a source may have at most 640x360: "));
}

/// A source with these bytes, from a file in the test's own folder.
std::string file_with(const Bytes& bytes) {
  const auto path = std::filesystem::path{testing::TempDir()} / "picture_guard_test";
  std::ofstream{path, std::ios::binary}.write(reinterpret_cast<const char*>(bytes.data()),
                                              static_cast<std::streamsize>(bytes.size()));
  return "gst:filesrc location=" + path.string() + " ! identity";
}

std::string raw(int width, int height) {
  return "gst:videotestsrc ! video/x-raw,width=" + std::to_string(width) +
         ",height=" + std::to_string(height) + " ! identity";
}

TEST(PictureGuardTest, RefusesRawPicturesByTheirFormat) {
  expect_refused(Outcome{raw(16000, 16000)}, "16000x16000");
  expect_refused(Outcome{raw(640, 424)}, "640x424");
}

TEST(PictureGuardTest, APictureOfTheLimitPlaysUprightToo) {
  EXPECT_TRUE(Outcome{raw(640, 360)}.played);
  EXPECT_TRUE(Outcome{raw(360, 640)}.played);
}

TEST(PictureGuardTest, ALimitCanBeRaised) {
  EXPECT_TRUE((Outcome{raw(1000, 700), {1000, 700}}.played));
}

TEST(PictureGuardTest, RefusesAPngByItsHeader) {
  const auto ihdr =
      Bytes{0x89, 'P',  'N',  'G', '\r', '\n', 0x1a, '\n', 0, 0, 0, 13, 'I',  'H',  'D',  'R', 0,
            0,    0x9c, 0x40, 0,   0,    0x75, 0x30, 8,    2, 0, 0, 0,  0x4f, 0x3a, 0x31, 0xc2};
  auto png = ihdr;
  png.resize(1000);
  expect_refused(Outcome{file_with(png)}, "40000x30000");
}

TEST(PictureGuardTest, RefusesAJpegByItsHeader) {
  Bytes jpeg{0xff, 0xd8, 0xff, 0xe0, 0, 16,   'J', 'F',  'I',  'F', 0,  1,    1,
             0,    0,    1,    0,    1, 0,    0,   0xff, 0xc2, 0,   17, 8,    0xff,
             0xdc, 0xff, 0xdc, 3,    1, 0x22, 0,   2,    0x11, 1,   3,  0x11, 1};
  jpeg.resize(1000);
  expect_refused(Outcome{file_with(jpeg)}, "65500x65500");
}

TEST(PictureGuardTest, RefusesAPictureThatGrows) {
  const Outcome outcome{
      "gst:concat name=c videotestsrc num-buffers=3 ! video/x-raw,width=320,height=180 ! c. "
      "videotestsrc ! video/x-raw,width=1280,height=720 ! c.",
      kMost, false};
  EXPECT_THAT(outcome.end.reason, StartsWith("the picture is 1280x720; "));
}

}  // namespace
}  // namespace transcoder
