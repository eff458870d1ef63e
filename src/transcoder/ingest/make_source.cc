#include "transcoder/ingest/make_source.h"

#include <fmt/format.h>

#include <optional>
#include <stdexcept>
#include <string_view>

#include "transcoder/secrets.h"
#include "transcoder/testsource/test_source.h"
#include "transcoder/uri/source_uri.h"

namespace transcoder {

namespace {

constexpr std::string_view kTestScheme = "test:";

auto test_options(std::string_view uri) {
  return parse_test_options(uri.substr(kTestScheme.size()));
}

std::optional<std::string> mode_of(const std::string& srt_uri) {
  return query_value(complete_srt_uri(srt_uri), "mode");
}

}  // namespace

bool waits_for_sender(const std::string& uri) {
  if (uri.starts_with("srt:")) return mode_of(uri) == "listener";
  return uri.starts_with("udp:") || uri.starts_with("rtp:");
}

void check_uri(const SourceSettings& settings) {
  const auto refuse = [&](const std::string& why) {
    throw std::runtime_error{fmt::format("source '{}': {}", without_secrets(settings.uri), why)};
  };
  const auto colon = settings.uri.find(':');
  if (colon == std::string::npos || colon == 0) {
    refuse("not a URI; write test:, file:PATH, gst:LAUNCH TEXT or a URI such as rtsp://host/path");
  }
  if (colon + 1 == settings.uri.size() && settings.uri != kTestScheme) {
    refuse("nothing follows the scheme; add a path, a host or launch text");
  }
  if (is_listening_address(settings.uri) && mode_of(settings.uri) == "caller") {
    refuse("symcast cannot connect to this address; write the sender's, or mode=listener");
  }
  if (!settings.uri.starts_with(kTestScheme)) return;
  if (const auto options = test_options(settings.uri); !options) refuse(options.error());
}

std::unique_ptr<Source> make_source(const std::string& stream, const SourceSettings& settings,
                                    const VideoSettings& limits, const MakeSource& others) {
  if (!settings.uri.starts_with(kTestScheme)) return others(stream, settings, limits);
  return std::make_unique<TestSource>(*test_options(settings.uri), limits);
}

}  // namespace transcoder
