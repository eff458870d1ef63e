#include "transcoder/gst/host_lookup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace transcoder {
namespace {

using testing::HasSubstr;

TEST(HostLookupTest, FindsTheHost) {
  EXPECT_EQ(host_of("rtsp://user:pw@camera.local:554/1"), "camera.local");
  EXPECT_EQ(host_of("http://[::1]:8000/x.ts"), "::1");
  for (const auto* uri : {"srt://:9000", "gst:videotestsrc", "file:/x", "test:"}) {
    EXPECT_EQ(host_of(uri), "") << uri;
  }
}

TEST(HostLookupTest, FindsThePort) {
  EXPECT_EQ(port_of("srt://:9000"), 9000);
  EXPECT_EQ(port_of("srt://0.0.0.0:9000?mode=listener"), 9000);
  EXPECT_EQ(port_of("udp://[::]:5000"), 5000);
  EXPECT_EQ(port_of("rtsp://host/1"), 0);
}

TEST(HostLookupTest, SaysWhyThereIsNoAddress) {
  EXPECT_EQ(lookup_failure("rtsp://127.0.0.1/1"), "");
  EXPECT_EQ(lookup_failure("srt://:9000"), "");
  EXPECT_THAT(lookup_failure("rtsp://user:pw@no-such-host.invalid/1"),
              HasSubstr("no address is known for 'no-such-host.invalid' ("));
}

}  // namespace
}  // namespace transcoder
