#include "transcoder/ingest/make_source.h"

#include <fmt/format.h>

#include <optional>
#include <stdexcept>
#include <string_view>

#include "transcoder/gst/gst_source.h"
#include "transcoder/secrets.h"
#include "transcoder/testsource/test_source.h"
#include "transcoder/uri/source_uri.h"

namespace transcoder {

namespace {

std::optional<std::string> mode_of(const std::string& srt_uri) {
  return query_value(complete_srt_uri(srt_uri), "mode");
}

}  // namespace

bool waits_for_sender(const std::string& uri) {
  if (uri.starts_with("srt:")) return mode_of(uri) == "listener";
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
  if (is_listening_address(settings.uri) && mode_of(settings.uri) == "caller") {
    refuse("symcast cannot connect to this address; write the sender's, or mode=listener");
  }
  if (settings.uri.substr(0, colon) != "test") {
    return std::make_unique<GstSource>(settings, limits);
  }
  const auto options = parse_test_options(std::string_view{settings.uri}.substr(colon + 1));
  if (!options) refuse(options.error());
  return std::make_unique<TestSource>(*options, limits);
}

}  // namespace transcoder
