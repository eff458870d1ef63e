#include "transcoder/ingest/make_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace transcoder {
namespace {

using testing::HasSubstr;

std::string refusal(const std::string& uri) {
  SourceSettings settings;
  settings.uri = uri;
  try {
    check_uri(settings);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(MakeSourceTest, AcceptsEveryKindOfUri) {
  for (const auto* uri : {"test:", "test:?fps=25", "file:/no/such/file", "gst:videotestsrc",
                          "rtsp://host/path", "srt://:9000?mode=listener"}) {
    EXPECT_EQ(refusal(uri), "accepted") << uri;
  }
}

TEST(MakeSourceTest, TheErrorSaysHowToWriteAUri) {
  EXPECT_THAT(refusal("/home/me/video.mp4"), HasSubstr("file:PATH"));
  EXPECT_THAT(refusal(""), HasSubstr("not a URI"));
  EXPECT_THAT(refusal(":x"), HasSubstr("not a URI"));
}

TEST(MakeSourceTest, RefusesASchemeWithNothingAfterIt) {
  EXPECT_THAT(refusal("file:"), HasSubstr("nothing follows"));
}

TEST(MakeSourceTest, TheErrorHidesSecrets) {
  EXPECT_THAT(refusal("://u:pw@h"), HasSubstr("'://***@h'"));
}

TEST(MakeSourceTest, NamesTheWrongTestOption) {
  EXPECT_THAT(refusal("test:?fps=x"), HasSubstr("source 'test:?fps=x': fps=x: fps must be"));
}

TEST(MakeSourceTest, KnowsWhichSourcesWaitForASender) {
  EXPECT_TRUE(waits_for_sender("udp://239.0.0.1:5000"));
  EXPECT_TRUE(waits_for_sender("srt://:9000"));
  EXPECT_TRUE(waits_for_sender("srt://0.0.0.0:9000?mode=listener"));
  EXPECT_TRUE(waits_for_sender("srt://0.0.0.0:9000?latency=50"));
  EXPECT_TRUE(waits_for_sender("srt://[::]:9000"));
  EXPECT_TRUE(waits_for_sender("srt://0.0.0.0:9000?streamid=#!::m=publish,mode=caller"));
  EXPECT_FALSE(waits_for_sender("srt://host:9000"));
  EXPECT_FALSE(waits_for_sender("srt://host:9000?streamid=#!::m=publish,mode=listener"));
  EXPECT_FALSE(waits_for_sender("srt://host:9000?streamid=%23!::m=publish,mode=listener"));
  EXPECT_FALSE(waits_for_sender("rtsp://host/path"));
}

TEST(MakeSourceTest, RefusesToCallAnUnspecifiedAddress) {
  EXPECT_THAT(refusal("srt://0.0.0.0:9000?mode=caller"), HasSubstr("write the sender's"));
  EXPECT_EQ(refusal("srt://0.0.0.0:9000?streamid=mode=caller"), "accepted");
}

}  // namespace
}  // namespace transcoder
