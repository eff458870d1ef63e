#include "segments/hls.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "media/frame.h"
#include "segments/utc_time.h"

namespace segments {

namespace {

// EXT-X-MAP needs version 6. No other tag used here needs a higher one: of the low-latency tags
// only EXT-X-SKIP does (bis 8).
constexpr int kHlsVersion = 6;

// Target durations to stay behind live: a MUST for segments, a SHOULD for parts (bis 4.4.3.8).
constexpr int kHoldBackTargets = 3;

std::string decimal(base::Duration time) { return fmt::format("{:.6f}", base::seconds(time)); }

/// Rounded up to the digits that decimal() prints: no part may print longer than the part target,
/// nor three part targets longer than the hold-back.
base::Duration printed(base::Duration part_target) {
  return std::chrono::ceil<std::chrono::microseconds>(part_target);
}

/// No segment's duration, rounded to the nearest second, may exceed the target (bis 4.4.3.1).
std::chrono::seconds whole_target(const MediaPlaylist& playlist) {
  using std::chrono::seconds;
  auto most = std::chrono::ceil<seconds>(playlist.target);
  for (const HlsSegment& segment : playlist.segments) {
    const auto half_up = segment.duration + std::chrono::milliseconds{500};
    most = std::max(most, std::chrono::floor<seconds>(half_up));
  }
  return most;
}

std::uint64_t first_number(const MediaPlaylist& playlist) {
  if (!playlist.segments.empty()) return playlist.segments.front().number;
  return playlist.open ? playlist.open->number : 0;
}

void append_low_latency(std::string& out, const MediaPlaylist& playlist) {
  const base::Duration part = printed(playlist.part_target);
  fmt::format_to(std::back_inserter(out),
                 "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK={},HOLD-BACK={}\n"
                 "#EXT-X-PART-INF:PART-TARGET={}\n",
                 decimal(kHoldBackTargets * part),
                 decimal(kHoldBackTargets * whole_target(playlist)), decimal(part));
}

void append_begin(std::string& out, const MediaPlaylist& playlist) {
  const auto end = std::back_inserter(out);
  fmt::format_to(end, "#EXTM3U\n#EXT-X-VERSION:{}\n#EXT-X-TARGETDURATION:{}\n", kHlsVersion,
                 whole_target(playlist).count());
  append_low_latency(out, playlist);
  fmt::format_to(end, "#EXT-X-MEDIA-SEQUENCE:{}\n", first_number(playlist));
  if (playlist.discontinuities > 0) {
    fmt::format_to(end, "#EXT-X-DISCONTINUITY-SEQUENCE:{}\n", playlist.discontinuities);
  }
}

/// Appends the tags of a segment, which must precede its first part (bis 4.4.4.9). `init`: the
/// previous segment's; becomes this one's.
void append_head(std::string& out, const HlsSegment& segment, const std::string& query,
                 std::optional<std::uint64_t>& init) {
  const auto end = std::back_inserter(out);
  if (init != segment.init) {
    fmt::format_to(end, "#EXT-X-MAP:URI=\"init-{}.mp4{}\"\n", segment.init, query);
  }
  init = segment.init;
  fmt::format_to(end, "#EXT-X-PROGRAM-DATE-TIME:{}\n", utc_text(segment.began));
}

void append_parts(std::string& out, const HlsSegment& segment, const std::string& query) {
  for (std::size_t i = 0; i < segment.parts.size(); ++i) {
    const HlsPart& part = segment.parts[i];
    fmt::format_to(std::back_inserter(out), "#EXT-X-PART:DURATION={},URI=\"{}.{}.m4s{}\"{}\n",
                   decimal(part.duration), segment.number, i, query,
                   part.independent ? ",INDEPENDENT=YES" : "");
  }
}

void append_report(std::string& out, const HlsRendition& rendition, const std::string& query) {
  const auto end = std::back_inserter(out);
  fmt::format_to(end, "#EXT-X-RENDITION-REPORT:URI=\"{}{}\",LAST-MSN={}", rendition.uri, query,
                 rendition.last_msn);
  if (rendition.last_part) fmt::format_to(end, ",LAST-PART={}", *rendition.last_part);
  out += '\n';
}

/// Appends everything after the complete segments.
void append_edge(std::string& out, const MediaPlaylist& playlist,
                 std::optional<std::uint64_t>& init) {
  if (playlist.open && !playlist.open->parts.empty()) {
    append_head(out, *playlist.open, playlist.query, init);
    append_parts(out, *playlist.open, playlist.query);
  }
  if (playlist.hint) {
    fmt::format_to(std::back_inserter(out), "#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"{}.{}.m4s{}\"\n",
                   playlist.hint->first, playlist.hint->second, playlist.query);
  }
  for (const HlsRendition& rendition : playlist.reports)
    append_report(out, rendition, playlist.query);
}

/// The range is SDR, because sources in PQ and HLG are tone-mapped (bis 4.4.6.2). `audio`: the
/// audio codec, with a comma before it, or empty. `group`: the AUDIO attribute, with a comma before
/// it, or empty.
void append_variant(std::string& out, const Variant& variant, std::string_view audio,
                    std::string_view group, const std::string& query) {
  const auto end = std::back_inserter(out);
  fmt::format_to(end, "#EXT-X-STREAM-INF:BANDWIDTH={},AVERAGE-BANDWIDTH={},RESOLUTION={}x{},",
                 variant.peak.bps(), variant.average.bps(), variant.width, variant.height);
  if (variant.frame_rate > 0) fmt::format_to(end, "FRAME-RATE={:.3f},", variant.frame_rate);
  fmt::format_to(end, "VIDEO-RANGE=SDR,CODECS=\"{}{}\"{},CLOSED-CAPTIONS=NONE\n{}{}\n",
                 variant.video_codec, audio, group, variant.uri, query);
}

}  // namespace

std::string text(const MediaPlaylist& playlist) {
  std::string out;
  append_begin(out, playlist);
  std::optional<std::uint64_t> init;
  for (const HlsSegment& segment : playlist.segments) {
    append_head(out, segment, playlist.query, init);
    append_parts(out, segment, playlist.query);
    fmt::format_to(std::back_inserter(out), "#EXTINF:{},\n{}.m4s{}\n", decimal(segment.duration),
                   segment.number, playlist.query);
  }
  append_edge(out, playlist, init);
  return out;
}

std::string text(const MultivariantPlaylist& playlist) {
  std::string out =
      fmt::format("#EXTM3U\n#EXT-X-VERSION:{}\n#EXT-X-INDEPENDENT-SEGMENTS\n", kHlsVersion);
  if (playlist.audio_uri) {
    fmt::format_to(std::back_inserter(out),
                   "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"audio\",NAME=\"Audio\",DEFAULT=YES,"
                   "AUTOSELECT=YES,CHANNELS=\"{}\",URI=\"{}{}\"\n",
                   media::kAudioChannels, *playlist.audio_uri, playlist.query);
  }
  const std::string audio = playlist.audio_codec.empty() ? "" : "," + playlist.audio_codec;
  for (const Variant& variant : playlist.variants) {
    append_variant(out, variant, audio, playlist.audio_uri ? ",AUDIO=\"audio\"" : "",
                   playlist.query);
  }
  return out;
}

}  // namespace segments
