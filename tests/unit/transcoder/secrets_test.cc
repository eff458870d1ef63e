#include "transcoder/secrets.h"

#include <gtest/gtest.h>

namespace transcoder {
namespace {

TEST(SecretsTest, MasksUserAndPassword) {
  EXPECT_EQ(without_secrets("rtsp://admin:pw@cam/1"), "rtsp://***@cam/1");
  EXPECT_EQ(without_secrets("http://a:p@ss@cam/1"), "http://***@cam/1");
}

TEST(SecretsTest, MasksEveryUriInAText) {
  EXPECT_EQ(without_secrets("Not Found, URL: http://u:p@h/x?token=abc, Redirect to: http://v@k"),
            "Not Found, URL: http://***@h/x?token=***, Redirect to: http://***@k");
}

TEST(SecretsTest, MasksNamedValues) {
  EXPECT_EQ(without_secrets("srt://h:1?passphrase=abc&mode=caller"),
            "srt://h:1?passphrase=***&mode=caller");
  EXPECT_EQ(without_secrets("gst:rtspsrc location=rtsp://h user-id=u user-pw=x ! decodebin"),
            "gst:rtspsrc location=rtsp://h user-id=u user-pw=*** ! decodebin");
  EXPECT_EQ(without_secrets("gst:srtsrc passphrase=\"a b\" latency=1"),
            "gst:srtsrc passphrase=\"***\" latency=1");
}

TEST(SecretsTest, LeavesTheRestAlone) {
  for (const auto* text : {"http://host/a@b", "file:/home/me/a@b.mp4", "test:?size=320x180", ""}) {
    EXPECT_EQ(without_secrets(text), text);
  }
}

}  // namespace
}  // namespace transcoder
