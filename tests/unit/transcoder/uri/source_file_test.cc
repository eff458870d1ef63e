#include "transcoder/uri/source_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>

namespace transcoder {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

auto refuses(const std::string& uri, const testing::Matcher<std::string>& why) {
  EXPECT_THAT([&] { file_uri(uri); }, ThrowsMessage<std::runtime_error>(why)) << uri;
}

TEST(SourceFileTest, SaysWhatIsWrongWithAPath) {
  refuses("file:/no/such/film.mp4", HasSubstr("no file '/no/such/film.mp4'; check the path"));
  refuses("file:/tmp", HasSubstr("'/tmp' is a directory; name a file in it"));
  refuses("file://%", HasSubstr("write file:PATH"));
}

TEST(SourceFileTest, AServiceDoesNotSeeHomeFolders) {
  const auto missing = HasSubstr("no file '/home/me/film.mp4'");
  const auto hidden = HasSubstr("the systemd unit hides it: see ProtectHome=");
  ::unsetenv("INVOCATION_ID");
  refuses("file:/home/me/film.mp4", AllOf(missing, Not(hidden)));
  ::setenv("INVOCATION_ID", "1", 1);
  refuses("file:/home/me/film.mp4", AllOf(missing, hidden));
  refuses("file:/srv/film.mp4", Not(hidden));
  ::unsetenv("INVOCATION_ID");
}

}  // namespace
}  // namespace transcoder
