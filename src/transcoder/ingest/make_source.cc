#include "transcoder/ingest/make_source.h"

#include <fmt/format.h>

#include <stdexcept>
#include <string_view>

#include "transcoder/gst/gst_source.h"
#include "transcoder/secrets.h"
#include "transcoder/testsource/test_source.h"

namespace transcoder {

namespace {

/// "srt://0.0.0.0:9000", "srt://[::]:9000" or "srt://:9000": an address to listen on, because
/// nobody can be called there.
bool is_listening_address(const std::string& uri) {
  constexpr std::string_view kSrt = "srt://";
  if (!uri.starts_with(kSrt)) return false;
  const auto host_and_port = uri.substr(kSrt.size());
  return host_and_port.starts_with(":") || host_and_port.starts_with("0.0.0.0:") ||
         host_and_port.starts_with("[::]:");
}

bool has_mode(const std::string& uri) { return uri.find("mode=") != std::string::npos; }

}  // namespace

std::string with_implied_mode(const std::string& uri) {
  if (!is_listening_address(uri) || has_mode(uri)) return uri;
  return uri + (uri.find('?') == std::string::npos ? "?" : "&") + "mode=listener";
}

bool waits_for_sender(const std::string& uri) {
  if (uri.starts_with("srt:")) {
    return with_implied_mode(uri).find("mode=listener") != std::string::npos;
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
  if (is_listening_address(settings.uri) && settings.uri.find("mode=caller") != std::string::npos) {
    refuse("nobody can be called at this address; write the sender's, or mode=listener");
  }
  if (settings.uri.substr(0, colon) != "test") {
    auto source = settings;
    source.uri = with_implied_mode(settings.uri);
    return std::make_unique<GstSource>(source, limits);
  }
  const auto options = parse_test_options(std::string_view{settings.uri}.substr(colon + 1));
  if (!options) refuse(options.error());
  return std::make_unique<TestSource>(*options, limits);
}

}  // namespace transcoder
