#include "segments/hls.h"

#include <gmock/gmock.h>

#include <sstream>

namespace segments {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// 2009-02-13T23:31:30Z is 1234567890.
constexpr std::chrono::system_clock::time_point kBegan{1234567890s};

HlsSegment segment(std::uint64_t number, base::Duration duration = 2s) {
  return {.number = number,
          .duration = duration,
          .began = kBegan + static_cast<std::int64_t>(number) * 2s,
          .parts = {},
          .init = 1};
}

MediaPlaylist low_latency() {
  MediaPlaylist playlist{.target = 2s, .part_target = 1s};
  playlist.segments = {segment(7), segment(8)};
  playlist.segments.back().parts = {{.duration = 1s, .independent = true}, {.duration = 1s}};
  playlist.open = segment(9, 1s);
  playlist.open->parts = {{.duration = 1s, .independent = true}};
  playlist.hint = {9, 1};
  playlist.reports = {{.uri = "../v1/playlist.m3u8", .last_msn = 9, .last_part = 0}};
  return playlist;
}

std::vector<std::string> lines(const std::string& text, std::string_view begin) {
  std::vector<std::string> found;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(begin)) found.push_back(line);
  }
  return found;
}

TEST(HlsTest, ListsTheNewestSegmentsInParts) {
  EXPECT_EQ(text(low_latency()),
            "#EXTM3U\n"
            "#EXT-X-VERSION:6\n"
            "#EXT-X-TARGETDURATION:2\n"
            "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=3.000000,"
            "HOLD-BACK=6.000000\n"
            "#EXT-X-PART-INF:PART-TARGET=1.000000\n"
            "#EXT-X-MEDIA-SEQUENCE:7\n"
            "#EXT-X-MAP:URI=\"init-1.mp4\"\n"
            "#EXT-X-PROGRAM-DATE-TIME:2009-02-13T23:31:44.000Z\n"
            "#EXTINF:2.000000,\n"
            "7.m4s\n"
            "#EXT-X-PROGRAM-DATE-TIME:2009-02-13T23:31:46.000Z\n"
            "#EXT-X-PART:DURATION=1.000000,URI=\"8.0.m4s\",INDEPENDENT=YES\n"
            "#EXT-X-PART:DURATION=1.000000,URI=\"8.1.m4s\"\n"
            "#EXTINF:2.000000,\n"
            "8.m4s\n"
            "#EXT-X-PROGRAM-DATE-TIME:2009-02-13T23:31:48.000Z\n"
            "#EXT-X-PART:DURATION=1.000000,URI=\"9.0.m4s\",INDEPENDENT=YES\n"
            "#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"9.1.m4s\"\n"
            "#EXT-X-RENDITION-REPORT:URI=\"../v1/playlist.m3u8\",LAST-MSN=9,LAST-PART=0\n");
}

TEST(HlsTest, BeginsWithTheOpenSegmentWhileNoneIsComplete) {
  MediaPlaylist playlist = low_latency();
  playlist.segments.clear();
  EXPECT_THAT(text(playlist), HasSubstr("#EXT-X-MEDIA-SEQUENCE:9\n"
                                        "#EXT-X-MAP:URI=\"init-1.mp4\"\n"
                                        "#EXT-X-PROGRAM-DATE-TIME:2009-02-13T23:31:48.000Z\n"
                                        "#EXT-X-PART:"));
}

TEST(HlsTest, CountsJumpsOfTheTime) {
  MediaPlaylist playlist = low_latency();
  playlist.discontinuities = 2;
  EXPECT_THAT(text(playlist), HasSubstr("#EXT-X-MEDIA-SEQUENCE:7\n"
                                        "#EXT-X-DISCONTINUITY-SEQUENCE:2\n"
                                        "#EXT-X-MAP:"));
}

TEST(HlsTest, HintsAtTheFirstPartOfAnEmptyOpenSegment) {
  MediaPlaylist playlist = low_latency();
  playlist.open->parts.clear();
  playlist.hint = {9, 0};
  EXPECT_THAT(text(playlist),
              HasSubstr("\n8.m4s\n#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"9.0.m4s\"\n"));
}

TEST(HlsTest, RoundsTheTargetDurationUp) {
  EXPECT_THAT(text(MediaPlaylist{.target = 2002ms}), HasSubstr("#EXT-X-TARGETDURATION:3\n"));
}

TEST(HlsTest, TheTargetCoversEachSegmentRoundedToTheNearestSecond) {
  MediaPlaylist playlist{.target = 4s};
  playlist.segments = {segment(0, 4499ms)};
  EXPECT_THAT(text(playlist), HasSubstr("#EXT-X-TARGETDURATION:4\n"));
  playlist.segments = {segment(0, 4500ms), segment(1, 1s)};
  EXPECT_THAT(text(playlist), HasSubstr("#EXT-X-TARGETDURATION:5\n"));
}

TEST(HlsTest, HoldsBackThreeTargetsAsPrinted) {
  MediaPlaylist playlist = low_latency();
  playlist.target = 2002ms;
  playlist.part_target = 166'666'667ns;
  EXPECT_THAT(text(playlist), HasSubstr("PART-HOLD-BACK=0.500001,HOLD-BACK=9.000000\n"
                                        "#EXT-X-PART-INF:PART-TARGET=0.166667\n"));
}

TEST(HlsTest, PrintsNoPartLongerThanItsTarget) {
  MediaPlaylist playlist = low_latency();
  playlist.part_target = 333'333'333ns;
  playlist.open->parts = {{.duration = 333'333'333ns}};
  const std::string all = text(playlist);
  EXPECT_THAT(all, HasSubstr("PART-TARGET=0.333334\n"));
  EXPECT_THAT(all, HasSubstr("DURATION=0.333333,URI=\"9.0.m4s\"\n"));
}

TEST(HlsTest, RepeatsTheMapWhenTheInitializationSectionChanges) {
  MediaPlaylist playlist = low_latency();
  playlist.segments = {segment(1), segment(2), segment(3)};
  playlist.segments[1].init = playlist.segments[2].init = 2;
  playlist.open->init = 3;
  EXPECT_THAT(lines(text(playlist), "#EXT-X-MAP"),
              ElementsAre("#EXT-X-MAP:URI=\"init-1.mp4\"", "#EXT-X-MAP:URI=\"init-2.mp4\"",
                          "#EXT-X-MAP:URI=\"init-3.mp4\""));
}

TEST(HlsTest, ReportsARenditionWithoutParts) {
  MediaPlaylist playlist = low_latency();
  playlist.reports = {{.uri = "../audio/playlist.m3u8", .last_msn = 8, .last_part = {}}};
  EXPECT_THAT(text(playlist),
              HasSubstr("#EXT-X-RENDITION-REPORT:URI=\"../audio/playlist.m3u8\",LAST-MSN=8\n"));
}

TEST(HlsTest, RepeatsAQueryInEveryUri) {
  auto playlist = low_latency();
  playlist.query = "?a=1";
  std::istringstream in{text(playlist)};
  int uris = 0;
  for (std::string line; std::getline(in, line);) {
    const auto quoted = line.find("URI=\"");
    if (line.starts_with('#') && quoted == line.npos) continue;
    const auto end = quoted == line.npos ? line.size() : line.find('"', quoted + 5);
    EXPECT_TRUE(line.substr(0, end).ends_with("?a=1")) << line;
    ++uris;
  }
  EXPECT_EQ(uris, 8) << "map, 2 segments, 3 parts, hint, report";
}

TEST(HlsTest, RoundsDatesDownToTheMillisecond) {
  MediaPlaylist playlist{.target = 2s};
  playlist.segments = {segment(0)};
  playlist.segments.front().began += 42'999us;
  EXPECT_THAT(text(playlist), HasSubstr("#EXT-X-PROGRAM-DATE-TIME:2009-02-13T23:31:30.042Z\n"));
}

MultivariantPlaylist two_variants() {
  MultivariantPlaylist playlist{.audio_uri = "audio/playlist.m3u8", .audio_codec = "mp4a.40.2"};
  playlist.variants = {{.uri = "v0/playlist.m3u8",
                        .peak = base::BitRate{4'500'000},
                        .average = base::BitRate{4'000'000},
                        .width = 1920,
                        .height = 1080,
                        .frame_rate = 30000.0 / 1001,
                        .video_codec = "avc1.640028"},
                       {.uri = "v1/playlist.m3u8",
                        .peak = base::BitRate{1'200'000},
                        .average = base::BitRate{1'000'000},
                        .width = 1280,
                        .height = 720,
                        .frame_rate = 25,
                        .video_codec = "avc1.64001f"}};
  return playlist;
}

TEST(HlsTest, ListsVariantsAndTheirAudio) {
  EXPECT_EQ(text(two_variants()),
            "#EXTM3U\n"
            "#EXT-X-VERSION:6\n"
            "#EXT-X-INDEPENDENT-SEGMENTS\n"
            "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"audio\",NAME=\"Audio\",DEFAULT=YES,AUTOSELECT=YES,"
            "CHANNELS=\"2\",URI=\"audio/playlist.m3u8\"\n"
            "#EXT-X-STREAM-INF:BANDWIDTH=4500000,AVERAGE-BANDWIDTH=4000000,RESOLUTION=1920x1080,"
            "FRAME-RATE=29.970,VIDEO-RANGE=SDR,CODECS=\"avc1.640028,mp4a.40.2\",AUDIO=\"audio\","
            "CLOSED-CAPTIONS=NONE\n"
            "v0/playlist.m3u8\n"
            "#EXT-X-STREAM-INF:BANDWIDTH=1200000,AVERAGE-BANDWIDTH=1000000,RESOLUTION=1280x720,"
            "FRAME-RATE=25.000,VIDEO-RANGE=SDR,CODECS=\"avc1.64001f,mp4a.40.2\",AUDIO=\"audio\","
            "CLOSED-CAPTIONS=NONE\n"
            "v1/playlist.m3u8\n");
}

TEST(HlsTest, OmitsAFrameRateThatIsUnknown) {
  MultivariantPlaylist playlist = two_variants();
  playlist.variants[1].frame_rate = 0;
  EXPECT_THAT(text(playlist), HasSubstr("RESOLUTION=1280x720,VIDEO-RANGE=SDR,"));
}

TEST(HlsTest, NamesTheAudioCodecOfMuxedVariants) {
  MultivariantPlaylist playlist = two_variants();
  playlist.audio_uri.reset();
  const std::string all = text(playlist);
  EXPECT_THAT(all, HasSubstr("CODECS=\"avc1.64001f,mp4a.40.2\",CLOSED-CAPTIONS=NONE\n"));
  EXPECT_THAT(all, Not(HasSubstr("AUDIO")));
}

TEST(HlsTest, NamesNoAudioCodecWithoutAudio) {
  MultivariantPlaylist playlist = two_variants();
  playlist.audio_uri.reset();
  playlist.audio_codec.clear();
  EXPECT_THAT(text(playlist), HasSubstr("CODECS=\"avc1.64001f\",CLOSED-CAPTIONS=NONE\n"));
}

}  // namespace
}  // namespace segments
