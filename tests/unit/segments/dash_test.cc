#include "segments/dash.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace segments {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

Representation frames(std::string id, double frame_rate = 25) {
  return {.id = std::move(id),
          .bandwidth = base::BitRate::mbps(4),
          .width = 1920,
          .height = 1080,
          .frame_rate = frame_rate,
          .codec = "avc1.640028"};
}

// 1234567890 is 2009-02-13T23:31:30Z.
Manifest chunked() {
  return {.epoch = std::chrono::system_clock::time_point{1234567890s},
          .publish = std::chrono::system_clock::time_point{1234567990250ms},
          .segment = 2s,
          .chunk = 200ms,
          .window = 1min,
          .base_url = "session/",
          .video = {frames("v0")},
          .audio =
              Representation{
                  .id = "audio", .bandwidth = base::BitRate::kbps(128), .codec = "mp4a.40.2"},
          .utc_timing_uri = "/time",
          .target_latency = 1500ms};
}

TEST(DashTest, DescribesSegmentsSentInChunks) {
  EXPECT_EQ(
      text(chunked()),
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\""
      " profiles=\"urn:mpeg:dash:profile:isoff-live:2011,urn:mpeg:dash:profile:cmaf:2019,"
      "http://www.dashif.org/guidelines/low-latency-live-v5\" type=\"dynamic\""
      " availabilityStartTime=\"2009-02-13T23:31:32.000Z\""
      " publishTime=\"2009-02-13T23:33:10.250Z\" minimumUpdatePeriod=\"PT10S\""
      " minBufferTime=\"PT1.5S\" timeShiftBufferDepth=\"PT60S\""
      " suggestedPresentationDelay=\"PT3.5S\" maxSegmentDuration=\"PT2S\">\n"
      "  <BaseURL>session/</BaseURL>\n"
      "  <ServiceDescription id=\"0\">\n"
      "    <Latency referenceId=\"1\" target=\"1500\"/>\n"
      "    <PlaybackRate max=\"1.04\" min=\"0.96\"/>\n"
      "  </ServiceDescription>\n"
      "  <Period id=\"0\" start=\"PT0S\">\n"
      "    <AdaptationSet id=\"1\" contentType=\"video\" mimeType=\"video/mp4\""
      " sar=\"1:1\" segmentAlignment=\"true\" startWithSAP=\"1\">\n"
      "      <ProducerReferenceTime id=\"1\" type=\"captured\""
      " wallClockTime=\"2009-02-13T23:31:32.000Z\" presentationTime=\"180000\">\n"
      "        <UTCTiming schemeIdUri=\"urn:mpeg:dash:utc:http-xsdate:2014\" value=\"/time\"/>\n"
      "      </ProducerReferenceTime>\n"
      "      <Resync dT=\"18000\"/>\n"
      "      <SegmentTemplate timescale=\"90000\" duration=\"180000\" startNumber=\"1\""
      " presentationTimeOffset=\"180000\""
      " availabilityTimeOffset=\"1.8\" availabilityTimeComplete=\"false\""
      " initialization=\"$RepresentationID$/init.mp4\""
      " media=\"$RepresentationID$/$Number$.m4s\"/>\n"
      "      <Representation id=\"v0\" bandwidth=\"4000000\" codecs=\"avc1.640028\""
      " width=\"1920\" height=\"1080\" frameRate=\"25\"/>\n"
      "    </AdaptationSet>\n"
      "    <AdaptationSet id=\"2\" contentType=\"audio\" mimeType=\"audio/mp4\""
      " segmentAlignment=\"true\" startWithSAP=\"1\">\n"
      "      <AudioChannelConfiguration"
      " schemeIdUri=\"urn:mpeg:mpegB:cicp:ChannelConfiguration\" value=\"2\"/>\n"
      "      <ProducerReferenceTime id=\"2\" type=\"captured\""
      " wallClockTime=\"2009-02-13T23:31:32.000Z\" presentationTime=\"180000\">\n"
      "        <UTCTiming schemeIdUri=\"urn:mpeg:dash:utc:http-xsdate:2014\" value=\"/time\"/>\n"
      "      </ProducerReferenceTime>\n"
      "      <Resync dT=\"18000\"/>\n"
      "      <SegmentTemplate timescale=\"90000\" duration=\"180000\" startNumber=\"1\""
      " presentationTimeOffset=\"180000\""
      " availabilityTimeOffset=\"1.8\" availabilityTimeComplete=\"false\""
      " initialization=\"$RepresentationID$/init.mp4\""
      " media=\"$RepresentationID$/$Number$.m4s\"/>\n"
      "      <Representation id=\"audio\" bandwidth=\"128000\" codecs=\"mp4a.40.2\""
      " audioSamplingRate=\"48000\"/>\n"
      "    </AdaptationSet>\n"
      "  </Period>\n"
      "  <UTCTiming schemeIdUri=\"urn:mpeg:dash:utc:http-xsdate:2014\" value=\"/time\"/>\n"
      "</MPD>\n");
}

TEST(DashTest, MentionsNoChunksIfSegmentsAreSentWhole) {
  Manifest manifest = chunked();
  manifest.chunk = manifest.segment;
  const std::string all = text(manifest);
  EXPECT_THAT(all, Not(HasSubstr("availabilityTime")));
  EXPECT_THAT(all, Not(HasSubstr("Resync")));
}

TEST(DashTest, OmitsEmptyElements) {
  Manifest manifest = chunked();
  manifest.base_url.clear();
  manifest.utc_timing_uri.clear();
  manifest.audio.reset();
  const std::string all = text(manifest);
  EXPECT_THAT(all, Not(HasSubstr("BaseURL")));
  EXPECT_THAT(all, Not(HasSubstr("UTCTiming")));
  EXPECT_THAT(all, HasSubstr("presentationTime=\"180000\"/>\n"));
  EXPECT_THAT(all, Not(HasSubstr("audio")));
}

TEST(DashTest, MeasuresLatencyByTheAudioWithoutVideo) {
  Manifest manifest = chunked();
  manifest.video.clear();
  const std::string all = text(manifest);
  EXPECT_THAT(all, HasSubstr("<Latency referenceId=\"2\""));
  EXPECT_THAT(all, Not(HasSubstr("video")));
}

TEST(DashTest, EscapesText) {
  Manifest manifest = chunked();
  manifest.base_url = "a&b/";
  manifest.utc_timing_uri = "/time?a=\"1\"&b='2'";
  manifest.video = {frames("<v>")};
  const std::string all = text(manifest);
  EXPECT_THAT(all, HasSubstr("<BaseURL>a&amp;b/</BaseURL>"));
  EXPECT_THAT(all, HasSubstr("value=\"/time?a=&quot;1&quot;&amp;b=&apos;2&apos;\"/>"));
  EXPECT_THAT(all, HasSubstr("<Representation id=\"&lt;v&gt;\""));
}

TEST(DashTest, RepeatsAQueryInEachUrlOfMedia) {
  Manifest manifest = chunked();
  manifest.query = "?a=1&b=$2";
  const std::string all = text(manifest);
  EXPECT_THAT(all, HasSubstr("initialization=\"$RepresentationID$/init.mp4?a=1&amp;b=$$2\""));
  EXPECT_THAT(all, HasSubstr("media=\"$RepresentationID$/$Number$.m4s?a=1&amp;b=$$2\""));
}

TEST(DashTest, StartsAtTheFirstSegmentThatIsASecondOrMoreAfterTheEpoch) {
  Manifest manifest = chunked();
  manifest.epoch = {};
  for (const auto& [segment, start, number] :
       {std::tuple{400ms, "01.200", 3}, {1000ms, "01.000", 1}, {1500ms, "01.500", 1}}) {
    manifest.segment = segment;
    const std::string all = text(manifest);
    EXPECT_THAT(all,
                HasSubstr(fmt::format("availabilityStartTime=\"1970-01-01T00:00:{}Z\"", start)));
    EXPECT_THAT(all, HasSubstr(fmt::format("startNumber=\"{}\"", number)));
  }
}

TEST(DashTest, RoundsDurationsToWholeTicks) {
  Manifest manifest = chunked();
  manifest.segment = 1'668'333'333ns;  // 50 frames of 30000/1001 a second
  manifest.chunk = 166'833'333ns;
  EXPECT_THAT(text(manifest),
              HasSubstr("<Resync dT=\"15015\"/>\n      <SegmentTemplate timescale=\"90000\""
                        " duration=\"150150\" startNumber=\"1\""
                        " presentationTimeOffset=\"150150\""
                        " availabilityTimeOffset=\"1.5015\""));
}

TEST(DashTest, WritesFrameRatesAsFractions) {
  Manifest manifest = chunked();
  manifest.video = {frames("a", 60), frames("b", 30000.0 / 1001), frames("c", 23.976),
                    frames("d", 59.94), frames("e", 12.5)};
  const std::string all = text(manifest);
  for (const char* rate : {"60", "30000/1001", "24000/1001", "60000/1001", "12500/1000"}) {
    EXPECT_THAT(all, HasSubstr(" frameRate=\"" + std::string{rate} + "\"/>"));
  }
}

TEST(DashTest, OmitsAFrameRateThatIsUnknown) {
  Manifest manifest = chunked();
  manifest.video = {frames("v0", 0)};
  EXPECT_THAT(text(manifest), HasSubstr(" height=\"1080\"/>\n"));
}

TEST(DashTest, DescribesColourAndShape) {
  Manifest manifest = chunked();
  EXPECT_THAT(text(manifest), Not(HasSubstr("cicp:Colour"))) << "unspecified";
  manifest.format.colour = {.primaries = 1, .transfer = 13, .matrix = 6};
  manifest.format.sar_num = 64;
  manifest.format.sar_den = 45;
  const std::string all = text(manifest);
  EXPECT_THAT(all, HasSubstr(" sar=\"64:45\""));
  EXPECT_THAT(all, HasSubstr("\"urn:mpeg:mpegB:cicp:ColourPrimaries\" value=\"1\"/>"));
  EXPECT_THAT(all, HasSubstr("\"urn:mpeg:mpegB:cicp:TransferCharacteristics\" value=\"13\"/>"));
  EXPECT_THAT(all, HasSubstr("\"urn:mpeg:mpegB:cicp:MatrixCoefficients\" value=\"6\"/>"));
}

TEST(DashTest, BuffersNoMoreThanASegment) {
  Manifest manifest = chunked();
  manifest.target_latency = 5s;
  EXPECT_THAT(text(manifest), HasSubstr("minBufferTime=\"PT2S\""));
}

}  // namespace
}  // namespace segments
