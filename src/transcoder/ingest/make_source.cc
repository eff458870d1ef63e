#include "transcoder/ingest/make_source.h"

#include <fmt/format.h>

#include <stdexcept>
#include <string_view>

#include "transcoder/gst/gst_source.h"
#include "transcoder/secrets.h"
#include "transcoder/testsource/test_source.h"

namespace transcoder {

bool waits_for_sender(const std::string& uri) {
  if (uri.starts_with("srt:")) {
    return uri.find("mode=listener") != std::string::npos || uri.starts_with("srt://:");
  }
  return uri.starts_with("udp:") || uri.starts_with("rtp:");
}

std::unique_ptr<Source> make_source(const SourceSettings& settings, const VideoSettings& limits) {
  const auto refuse = [&](const std::string& why) {
    throw std::runtime_error{fmt::format("source '{}': {}", without_secrets(settings.uri), why)};
  };
  const auto colon = settings.uri.find(':');
  if (colon == std::string::npos || colon == 0) {
    refuse("not a URI; write test:, file:PATH, gst:LAUNCH TEXT or a URI such as rtsp://host/path");
  }
  if (colon + 1 == settings.uri.size() && settings.uri != "test:") {
    refuse("nothing follows the scheme; add a path, a host or launch text");
  }
  if (settings.uri.substr(0, colon) != "test") return std::make_unique<GstSource>(settings, limits);
  const auto options = parse_test_options(std::string_view{settings.uri}.substr(colon + 1));
  if (!options) refuse(options.error());
  return std::make_unique<TestSource>(*options, limits);
}

}  // namespace transcoder
