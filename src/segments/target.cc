#include "segments/target.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace segments {

namespace {

constexpr std::size_t kSessionTokenLength = 16;  // hexadecimal digits; too many to guess a token

/// Parses all of `text`, which may have neither a sign nor leading zeros.
template <typename Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool canonical = text == "0" || (!text.empty() && text.front() != '0');
  if (error != std::errc{} || end != text.data() + text.size() || !canonical) return {};
  return value;
}

/// Returns the text before the first `separator`; `text` keeps the rest after it.
std::optional<std::string_view> cut(std::string_view& text, char separator) {
  const auto at = text.find(separator);
  if (at == std::string_view::npos) return {};
  const auto before = text.substr(0, at);
  text.remove_prefix(at + 1);
  return before;
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool take_suffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

bool is_session(std::string_view text) {
  return text.size() == kSessionTokenLength && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

bool parse_file(std::string_view file, Target& target) {
  if (file == "playlist.m3u8") {
    target.kind = Target::Kind::kPlaylist;
    return true;
  }
  if (file == "init.mp4") {
    target.kind = Target::Kind::kNewestInit;
    return true;
  }
  if (take_suffix(file, ".m4s")) {
    target.kind = Target::Kind::kSegment;
    if (const auto segment = cut(file, '.')) {
      target.kind = Target::Kind::kPart;
      const auto part = number<unsigned>(file);
      if (!part) return false;
      target.part = *part;
      file = *segment;
    }
  } else if (take_prefix(file, "init-") && take_suffix(file, ".mp4")) {
    target.kind = Target::Kind::kInit;
  } else {
    return false;
  }
  const auto value = number<std::uint64_t>(file);
  if (value) target.number = *value;
  return value.has_value();
}

/// A file that a stream has with and without a session.
std::optional<Target::Kind> stream_file(std::string_view name) {
  if (name == "manifest.mpd") return Target::Kind::kManifest;
  if (name == "time") return Target::Kind::kTime;
  return {};
}

}  // namespace

std::string Rendition::text() const {
  switch (kind) {
    case Kind::kAuto:
      return "auto";
    case Kind::kAudio:
      return "audio";
    case Kind::kRung:
      break;
  }
  return "v" + std::to_string(rung);
}

std::optional<Rendition> Rendition::parse(std::string_view text) {
  if (text == "auto") return Rendition{Kind::kAuto, 0};
  if (text == "audio") return Rendition{Kind::kAudio, 0};
  if (!take_prefix(text, "v")) return {};
  const auto rung = number<unsigned>(text);
  return rung ? std::optional{Rendition{Kind::kRung, *rung}} : std::nullopt;
}

std::optional<Target> Target::parse(std::string_view path) {
  Target target;
  if (!take_prefix(path, "/")) return {};
  const auto stream = cut(path, '/');
  if (!stream || stream->empty()) return {};
  target.stream = *stream;
  if (path == "index.m3u8") return target;
  if (const auto kind = stream_file(path)) {
    target.kind = *kind;
    return target;
  }
  const auto session = cut(path, '/');
  if (!session || !is_session(*session)) return {};
  target.session = *session;
  if (const auto kind = stream_file(path)) {
    target.kind = *kind;
    return target;
  }
  const auto rendition = cut(path, '/');
  if (!rendition) return {};
  const auto known = Rendition::parse(*rendition);
  if (!known || !parse_file(path, target)) return {};
  target.rendition = *known;
  return target;
}

const char* Target::content_type() const {
  switch (kind) {
    case Kind::kMultivariant:
    case Kind::kPlaylist:
      return "application/vnd.apple.mpegurl";
    case Kind::kManifest:
      return "application/dash+xml";
    case Kind::kTime:
      return "text/plain; charset=utf-8";
    default:
      return rendition.kind == Rendition::Kind::kAudio ? "audio/mp4" : "video/mp4";
  }
}

}  // namespace segments
