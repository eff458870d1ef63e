#include "transcoder/gst/glib_log.h"

#include <glib.h>
#include <gtest/gtest.h>

#include <csignal>

namespace transcoder {
namespace {

// The process of a source learns from it why it ends.
TEST(GlibLogTest, AMessageThatEndsTheProcessIsLoggedAfterOthers) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto end = [] {
    capture_glib_log();
    g_warning("a first one");
    g_warning("a second one");
    g_error("failed to allocate 4 bytes");
  };
  EXPECT_EXIT(end(), testing::KilledBySignal(SIGTRAP), "failed to allocate 4 bytes");
}

}  // namespace
}  // namespace transcoder
