#include "fuzz/segment_texts.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "fuzz/check.h"

namespace fuzz {

namespace {

using segments::Rendition;
using segments::SegmentStore;
using segments::Target;

constexpr std::string_view kSession = "/live/a123456789abcdef/";

bool is_printable(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

/// Takes the next line, which has to end in a line feed.
std::string_view take_line(std::string_view& text) {
  const auto end = text.find('\n');
  CHECK(end != text.npos, text);
  const auto line = text.substr(0, end);
  CHECK(!line.empty() && is_printable(line), line);
  text.remove_prefix(end + 1);
  return line;
}

/// The value after `name`, without quotes.
std::string_view attribute(std::string_view line, std::string_view name) {
  const auto at = line.find(name);
  CHECK(at != line.npos, line, name);
  auto value = line.substr(at + name.size());
  if (value.starts_with('"')) {
    value.remove_prefix(1);
    return value.substr(0, value.find('"'));
  }
  return value.substr(0, value.find(','));
}

double number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  CHECK(error == std::errc{} && end == text.data() + text.size(), text);
  return value;
}

Target target_of(std::string_view uri, Rendition rendition) {
  const auto path =
      std::string{kSession} + rendition.text() + '/' + std::string{uri.substr(0, uri.find('?'))};
  const auto target = Target::parse(path);
  CHECK(target, path);
  return *target;
}

/// Whether a track has the segment like that. The ids of tracks count from 1. A session keeps the
/// track that it has for a segment, also if that is cut short later: holders() lacks it then.
template <typename Like>
bool has(const SegmentStore& store, Rendition rendition, std::uint64_t number, Like like) {
  constexpr SegmentStore::TrackId kMostTracks = 300;
  const auto is_like = [&](const auto& segment) { return segment && like(*segment); };
  const bool audio = rendition.kind == Rendition::Kind::kAudio;
  if (audio && is_like(store.audio(number))) return true;
  for (SegmentStore::TrackId track = 1; track <= kMostTracks; ++track) {
    if (is_like(audio ? store.audio(track, number) : store.video(track, number))) return true;
  }
  return false;
}

class Playlist {
 public:
  Playlist(const SegmentStore& store, Rendition rendition) : store_{store}, rendition_{rendition} {}

  void read(std::string_view text) {
    CHECK(take_line(text) == "#EXTM3U");
    while (!text.empty()) read_line(take_line(text), text);
    CHECK(segments_ > 0 && hinted_, segments_);
  }

 private:
  void read_line(std::string_view line, std::string_view& rest) {
    if (line.starts_with("#EXT-X-TARGETDURATION:")) {
      target_ = number(line.substr(line.find(':') + 1));
    } else if (line.starts_with("#EXT-X-MEDIA-SEQUENCE:")) {
      next_ = static_cast<std::uint64_t>(number(line.substr(line.find(':') + 1)));
    } else if (line.starts_with("#EXT-X-MAP:")) {
      const auto init = target_of(attribute(line, "URI="), rendition_);
      CHECK(init.kind == Target::Kind::kInit && store_.headers(init.number), line);
      has_init_ = true;
    } else if (line.starts_with("#EXT-X-PART:")) {
      read_part(line);
    } else if (line.starts_with("#EXTINF:")) {
      read_segment(line, take_line(rest));
    } else if (line.starts_with("#EXT-X-PRELOAD-HINT:")) {
      const auto hint = target_of(attribute(line, "URI="), rendition_);
      CHECK(hint.kind == Target::Kind::kPart && !hinted_, line);
      CHECK(hint.number == next_ && hint.part == parts_, hint.number, hint.part, parts_);
      hinted_ = true;
    } else {
      CHECK(line.starts_with("#EXT-X-"), line);
    }
  }

  void read_part(std::string_view line) {
    const auto part = target_of(attribute(line, "URI="), rendition_);
    CHECK(part.kind == Target::Kind::kPart && has_init_ && !hinted_, line);
    CHECK(part.number == next_ && part.part == parts_, part.number, part.part, parts_);
    ++parts_;
    CHECK(number(attribute(line, "DURATION=")) > 0, line);
    const auto has_part = [&](const auto& segment) { return part.part < segment.parts.size(); };
    CHECK(has(store_, rendition_, part.number, has_part), line);
  }

  void read_segment(std::string_view line, std::string_view uri) {
    const auto segment = target_of(uri, rendition_);
    CHECK(segment.kind == Target::Kind::kSegment && has_init_ && !hinted_, uri);
    CHECK(segment.number == next_, segment.number);
    ++next_;
    ++segments_;
    parts_ = 0;
    const auto duration = number(attribute(line, "#EXTINF:"));
    CHECK(std::round(duration) <= target_, line);
    const auto is_complete = [](const auto& one) { return one.complete; };
    CHECK(has(store_, rendition_, segment.number, is_complete), uri);
  }

  const SegmentStore& store_;
  const Rendition rendition_;
  double target_ = 0;
  std::uint64_t next_ = 0;  ///< number of the next segment
  unsigned parts_ = 0;      ///< listed of it
  int segments_ = 0;
  bool has_init_ = false;
  bool hinted_ = false;
};

/// The first session token in a text.
std::string token_in(std::string_view text) {
  const auto token = std::string{text.substr(0, text.find('/'))};
  CHECK(Target::parse("/live/" + token + "/time"), text);
  return token;
}

}  // namespace

void check_playlist(std::string_view text, const SegmentStore& store, Rendition rendition) {
  Playlist{store, rendition}.read(text);
}

std::string check_multivariant(std::string_view text) {
  CHECK(take_line(text) == "#EXTM3U");
  std::string token;
  while (!text.empty()) {
    auto line = take_line(text);
    if (line.starts_with("#EXT-X-MEDIA:")) line = attribute(line, "URI=");
    if (line.starts_with('#')) continue;
    const auto path = "/live/" + std::string{line.substr(0, line.find('?'))};
    const auto target = Target::parse(path);
    CHECK(target && target->kind == Target::Kind::kPlaylist, path);
    CHECK(token.empty() || token == target->session, path);
    token = target->session;
  }
  CHECK(!token.empty());
  return token;
}

std::string check_manifest(std::string_view text) {
  CHECK(text.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<MPD "), text);
  std::vector<std::string> open;
  std::string token;
  while (!text.empty()) {
    const auto tag = text.find('<');
    const auto between = text.substr(0, tag);
    CHECK(between.find('>') == between.npos, between);
    if (!open.empty() && open.back() == "BaseURL" && !between.empty()) token = token_in(between);
    if (tag == text.npos) break;
    const auto end = text.find('>', tag);
    CHECK(end != text.npos, text.substr(tag, 40));
    const auto inside = text.substr(tag + 1, end - tag - 1);
    CHECK(is_printable(inside) && inside.find('<') == inside.npos, inside);
    CHECK(std::ranges::count(inside, '"') % 2 == 0, inside);
    text.remove_prefix(end + 1);
    if (inside.starts_with('?')) continue;
    if (inside.starts_with('/')) {
      CHECK(!open.empty() && open.back() == inside.substr(1), inside);
      open.pop_back();
    } else if (!inside.ends_with('/')) {
      open.emplace_back(inside.substr(0, inside.find(' ')));
    }
  }
  CHECK(open.empty(), open.size());
  return token;
}

}  // namespace fuzz
