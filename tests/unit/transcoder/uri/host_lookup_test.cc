#include "transcoder/uri/host_lookup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netdb.h>

namespace transcoder {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

TEST(HostLookupTest, SaysWhyThereIsNoAddress) {
  EXPECT_EQ(lookup_failure("rtsp://127.0.0.1/1"), "");
  EXPECT_EQ(lookup_failure("srt://:9000"), "");
  EXPECT_THAT(lookup_failure("rtsp://user:pw@no-such-host.invalid/1"),
              HasSubstr("no address is known for 'no-such-host.invalid' ("));
}

/// A resolver that counts its questions.
struct Resolver {
  int error = EAI_NONAME;
  int asked = 0;
  HostLookup lookup{[this](const std::string&) { return ++asked, error; }};
};

TEST(HostLookupTest, AsksForEachHostNowAndThen) {
  Resolver resolver;
  const base::Time begin{};
  for (auto now = begin; now < begin + HostLookup::kMemory; now += 100ms) {
    EXPECT_NE(resolver.lookup.failure("udp://a:5000", now), "");
    EXPECT_NE(resolver.lookup.failure("rtsp://b/1", now), "");
  }
  EXPECT_EQ(resolver.asked, 2);
}

TEST(HostLookupTest, ForgetsAnAnswer) {
  Resolver resolver;
  const base::Time begin{};
  EXPECT_NE(resolver.lookup.failure("udp://a:5000", begin), "");
  resolver.error = 0;
  EXPECT_EQ(resolver.lookup.failure("udp://a:5000", begin + HostLookup::kMemory), "");
  resolver.error = EAI_NONAME;
  EXPECT_EQ(resolver.lookup.failure("udp://a:5000", begin + HostLookup::kMemory + 1s), "");
  EXPECT_NE(resolver.lookup.failure("udp://a:5000", begin + 2 * HostLookup::kMemory), "");
}

}  // namespace
}  // namespace transcoder
