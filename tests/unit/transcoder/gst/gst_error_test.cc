#include "transcoder/gst/gst_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace transcoder {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(GstErrorTest, NamesAPluginThatCanBeInstalled) {
  for (const auto* name :
       {"H.265 decoder", "application/x-hls decoder", "application/x-rtp decoder"}) {
    EXPECT_THAT(missing_plugin_text(name), StartsWith("GStreamer has no plugin for '"));
  }
}

TEST(GstErrorTest, NothingToInstallPlaysText) {
  for (const auto* name : {"text/plain", "text/uri-list", "application/sdp", "application/xml"}) {
    const auto text = missing_plugin_text(std::string{name} + " decoder");
    EXPECT_THAT(text, StartsWith("the source sends " + std::string{name} + ", which is neither"));
    EXPECT_THAT(text, Not(HasSubstr("install")));
  }
}

}  // namespace
}  // namespace transcoder
