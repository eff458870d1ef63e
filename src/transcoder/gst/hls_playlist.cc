#include "transcoder/gst/hls_playlist.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace transcoder {

namespace {

constexpr std::string_view kNumberTag = "#EXT-X-MEDIA-SEQUENCE:";
constexpr std::string_view kMapTag = "#EXT-X-MAP:";
constexpr std::string_view kRangeTag = "#EXT-X-BYTERANGE:";
constexpr std::string_view kDurationTag = "#EXTINF:";
constexpr std::string_view kDiscontinuityTag = "#EXT-X-DISCONTINUITY";
/// Playlists with larger numbers stay as they are. Sums of some of these fit into 64 bits.
constexpr std::int64_t kMaxNumber = std::int64_t{1} << 53;
/// hlsdemux leaves out a segment without a duration.
constexpr std::string_view kSectionDuration = "#EXTINF:0.001,";

std::string_view after(std::string_view line, std::string_view tag) {
  return line.substr(tag.size());
}

/// The quoted value of an attribute; empty if there is none.
std::string_view attribute(std::string_view list, std::string_view name) {
  const auto begin = list.find(fmt::format("{}=\"", name));
  if (begin == std::string_view::npos) return {};
  list.remove_prefix(begin + name.size() + 2);
  return list.substr(0, list.find('"'));
}

/// Whether hlsdemux derives a key from numbers, or the text is none of ours.
bool is_foreign(std::string_view text) {
  const auto key = text.find("#EXT-X-KEY:");
  const bool encrypted =
      key != std::string_view::npos && !text.substr(key).starts_with("#EXT-X-KEY:METHOD=NONE");
  return encrypted || !text.starts_with("#EXTM3U") ||
         text.find("#EXT-X-STREAM-INF") != std::string_view::npos;
}

void add(std::string& text, std::string_view line) {
  text += line;
  text += '\n';
}

}  // namespace

struct HlsPlaylist::Text {
  explicit Text(std::string_view text) {
    Segment next;
    std::string_view map;
    while (!text.empty()) {
      const auto end = text.find('\n');
      auto line = text.substr(0, end);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (line.empty()) continue;
      if (line.starts_with(kNumberTag)) {
        std::int64_t value = 0;
        const auto digits = after(line, kNumberTag);
        std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (value >= 0 && value <= kMaxNumber) number = value;
      } else if (line.starts_with('#')) {
        if (line.starts_with(kMapTag)) map = after(line, kMapTag);
        if (line.starts_with(kRangeTag)) next.range = after(line, kRangeTag);
        next.tags.push_back(line);
      } else {
        next.uri = line;
        next.map = map;
        segments.push_back(std::exchange(next, {}));
      }
    }
    rest = std::move(next.tags);
    for (std::size_t i = 0; number && i < segments.size(); ++i) {
      segments[i].number = *number + static_cast<std::int64_t>(i);
    }
  }

  std::optional<std::int64_t> number;  ///< of the first segment
  std::vector<Segment> segments;
  std::vector<std::string_view> rest;  ///< tags behind the last segment
};

const HlsPlaylist::Known* HlsPlaylist::find(std::int64_t number) const {
  if (known_.empty() || number < known_.front().number || number > known_.back().number) {
    return nullptr;
  }
  return &known_[static_cast<std::size_t>(number - known_.front().number)];
}

/// A server may also be a little behind another one.
bool HlsPlaylist::goes_on(const std::vector<Segment>& segments) const {
  if (known_.empty() || segments.front().number > known_.back().number) return true;
  return std::ranges::any_of(segments, [this](const Segment& segment) {
    const auto* const known = find(segment.number);
    return known != nullptr && known->uri == segment.uri && known->range == segment.range;
  });
}

std::vector<HlsPlaylist::Known> HlsPlaylist::number(const std::vector<Segment>& segments,
                                                    bool restarted) const {
  std::vector<Known> result;
  const Known* before = known_.empty() ? nullptr : &known_.back();
  for (const auto& segment : segments) {
    Known known{std::string{segment.uri}, std::string{segment.range}, std::string{segment.map},
                segment.number};
    const auto* const same = restarted ? nullptr : find(segment.number);
    if (same != nullptr) {
      known.shown = same->shown;
      known.begins = same->begins;
    } else if (before == nullptr) {
      known.shown = known.number;
    } else if (!restarted && !known_.empty() && known.number < known_.front().number) {
      const auto& front = known_.front();
      known.shown = front.shown - (front.begins ? 1 : 0) - (front.number - known.number);
    } else {
      const bool new_list = result.empty() && restarted;
      known.begins = !known.map.empty() && known.map != before->map;
      known.shown =
          before->shown + (new_list ? 1 : known.number - before->number) + (known.begins ? 1 : 0);
    }
    result.push_back(std::move(known));
    before = &result.back();
  }
  return result;
}

std::string HlsPlaylist::edit(std::string_view text) {
  if (is_foreign(text)) return std::string{text};
  const Text parsed{text};
  const auto& segments = parsed.segments;
  if (segments.empty() || !parsed.number) return std::string{text};
  const bool restarted = !goes_on(segments);
  restarts_ += restarted;
  known_ = number(segments, restarted);
  if (known_.back().shown > kMaxNumber) {
    known_.clear();
    return std::string{text};
  }
  std::string result;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const auto& segment = segments[i];
    const auto& known = known_[i];
    const auto of_segment = [](std::string_view tag) {
      return tag.starts_with(kDurationTag) || tag.starts_with(kRangeTag);
    };
    for (const auto tag : segment.tags) {
      if (!of_segment(tag)) add(result, tag);
      if (tag.starts_with("#EXTM3U") && i == 0) {
        add(result, fmt::format("{}{}", kNumberTag, known.shown - (known.begins ? 1 : 0)));
      }
    }
    if (i == 0 && restarted) add(result, kDiscontinuityTag);
    if (known.begins) {
      const auto range = attribute(segment.map, "BYTERANGE");
      add(result, kSectionDuration);
      if (!range.empty()) add(result, fmt::format("{}{}", kRangeTag, range));
      add(result, attribute(segment.map, "URI"));
    }
    for (const auto tag : segment.tags) {
      if (of_segment(tag)) add(result, tag);
    }
    add(result, segment.uri);
  }
  for (const auto tag : parsed.rest) add(result, tag);
  return result;
}

}  // namespace transcoder
