#include "transcoder/make_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "transcoder/gst_source.h"
#include "transcoder/test_source.h"

namespace transcoder {

std::string shown_uri(const std::string& uri) {
  constexpr std::string_view kPassphrase = "passphrase=";
  std::string shown = uri;
  const auto host = uri.find("//");
  const auto path = uri.find_first_of("/?", host + 2);
  const auto at = uri.substr(0, path).rfind('@');
  if (host != std::string::npos && at != std::string::npos) {
    shown.replace(host + 2, at - host - 2, "***");
  }
  if (const auto secret = shown.find(kPassphrase); secret != std::string::npos) {
    const auto begin = secret + kPassphrase.size();
    shown.replace(begin, std::min(shown.find_first_of("& ", begin), shown.size()) - begin, "***");
  }
  return shown;
}

bool waits_for_sender(const std::string& uri) {
  if (uri.starts_with("srt:")) {
    return uri.find("mode=listener") != std::string::npos || uri.starts_with("srt://:");
  }
  return uri.starts_with("udp:") || uri.starts_with("rtp:");
}

std::unique_ptr<Source> make_source(const SourceSettings& settings, const VideoSettings& limits) {
  const auto refuse = [&](const std::string& why) {
    throw std::runtime_error{fmt::format("source '{}': {}", shown_uri(settings.uri), why)};
  };
  const auto colon = settings.uri.find(':');
  if (colon == std::string::npos || colon == 0) {
    refuse("not a URI: write test:, file:PATH, gst:LAUNCH TEXT or a URI such as rtsp://host/path");
  }
  if (colon + 1 == settings.uri.size() && settings.uri != "test:") {
    refuse("nothing follows the scheme");
  }
  if (settings.uri.substr(0, colon) != "test") return std::make_unique<GstSource>(settings, limits);
  const auto options = parse_test_options(std::string_view{settings.uri}.substr(colon + 1));
  if (!options) refuse(options.error());
  return std::make_unique<TestSource>(*options, limits);
}

}  // namespace transcoder
