#include "app/config/config_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "app/config/config_keys.h"
#include "transcoder/secrets.h"

namespace app {

namespace {

constexpr std::string_view kFileHeader =
    R"(# symcast.toml: every setting, at its built-in value.
# Uncomment what you change, then run `symcast check FILE`. Flags of `symcast serve` override
# the file. Durations have a unit ("300ms", "5s", "2m"). Rates are in bit/s ("300k", "1.5M" or a
# number). Sizes are in bytes ("16KiB" or a number).
#
# The files conf.d/*.toml beside this one are read after it, in the order of their names: a later
# value of a key replaces an earlier one, and the streams of all files are served.
# ${NAME} in a string stands for a secret: a systemd credential, an environment variable, or a line
# NAME = "VALUE" of the file secrets.toml beside this one. Write $${ for a plain ${.
# `symcast check --reference` prints this file.
)";

constexpr std::string_view kStreamExamples = R"(
# Streams. Each is served as http://HOST:PORT/NAME.ts, NAME.flv and NAME.mp4, and as HLS and DASH
# (see [segments]). If there is none, the built-in test picture is served as "live". A source is
# "test:", "file:PATH" (looped in real time), "gst:LAUNCH TEXT", or any URI that GStreamer plays:
# rtsp://, rtmp://, srt://, http(s):// (MPEG-TS, HLS), udp://.
#
#[[stream]]
#name = "live"
#source = "test:"
#
# A stream inherits the sections [video] to [tcp] above and can override any of their keys. To
# set options of its source, write the source as a table:
#
#[[stream]]
#name = "camera"
#source = { uri = "rtsp://192.0.2.10/main", latency = "100ms" }
#video.max_height = 1080
#video.max_width = 1920
#rate.max = "8M"
#
#[[stream.tcp.network]]
#network = "198.51.100.0/24"
#congestion_control = "reno"
)";

/// `text` as comment lines. Its own line ends are kept.
std::string comment(std::string_view text) {
  constexpr std::size_t kCommentWidth = 98;  // columns; fits a terminal of 100
  std::string out;
  std::string line{"#"};
  const auto end_line = [&] {
    out += line + '\n';
    line.assign(1, '#');
  };
  while (!text.empty()) {
    const auto end = std::min(text.find_first_of(" \n"), text.size());
    if (line.size() + 1 + end > kCommentWidth) end_line();
    line += ' ';
    line += text.substr(0, end);
    if (end < text.size() && text[end] == '\n') end_line();
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  end_line();
  return out;
}

std::string name_in_section(std::string_view path) {
  return std::string{path.substr(path.find('.') + 1)};
}

template <typename Target>
std::string reference(const std::vector<Section<Target>>& sections, const Target& defaults) {
  std::string out;
  for (const auto& section : sections) {
    out += fmt::format("\n{}[{}]\n", comment(section.doc), section.name);
    for (const auto& key : section.keys) {
      out += fmt::format("\n{}{}#{} = {}\n", comment(key.doc), comment("(" + key.allowed + ")"),
                         name_in_section(key.path), key.write(defaults));
    }
  }
  return out;
}

template <typename Target>
std::string effective(const std::vector<Section<Target>>& sections, const Target& target) {
  std::string out;
  for (const auto& section : sections) {
    for (const auto& key : section.keys) {
      out += fmt::format("{} = {}\n", key.path, transcoder::without_secrets(key.write(target)));
    }
  }
  return out;
}

}  // namespace

std::string reference_config() {
  const auto defaults = default_config();
  return std::string{kFileHeader} + reference(daemon_sections(), defaults) +
         reference(stream_sections(), defaults.streams.front()) + std::string{kStreamExamples};
}

std::string effective_config(const Config& config) {
  auto out = effective(daemon_sections(), config);
  for (const auto& stream : config.streams) {
    out += "\n[[stream]]\n" + effective(identity_sections(), stream) +
           effective(stream_sections(), stream);
  }
  return out;
}

}  // namespace app
