#include "segments/dash.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

#include "media/frame.h"
#include "segments/utc_time.h"

namespace segments {

namespace {

// The live profile, CMAF, and the low-latency live service of DASH-IF IOP v5 part 4 ("IOP" below),
// clause 6.
constexpr std::string_view kMpdProfiles =
    "urn:mpeg:dash:profile:isoff-live:2011,urn:mpeg:dash:profile:cmaf:2019,"
    "http://www.dashif.org/guidelines/low-latency-live-v5";

// Ticks per second; frames of all usual frame rates last a whole number of ticks.
constexpr std::int64_t kDashTimescale = 90000;

// Each player reloads the manifest this often, so a shorter period costs requests. With a longer
// one players learn later that other rates are offered.
constexpr std::chrono::seconds kManifestUpdatePeriod{10};

// The range in which players may change speed to return to the target latency. As in DASH-IF's live
// simulator.
constexpr double kMinPlaybackRate = 0.96;
constexpr double kMaxPlaybackRate = 1.04;

// IDs of the adaptation sets and of their reference times.
constexpr int kVideoSetId = 1;
constexpr int kAudioSetId = 2;

std::string escaped(std::string_view text) {
  static constexpr std::array<std::pair<char, std::string_view>, 5> kEntities{
      {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&apos;"}}};
  std::string out;
  for (const char c : text) {
    const auto entity = std::ranges::find(kEntities, c, &std::pair<char, std::string_view>::first);
    if (entity == kEntities.end()) {
      out += c;
    } else {
      out += entity->second;
    }
  }
  return out;
}

/// In the format of xs:duration.
std::string duration(base::Duration time) { return fmt::format("PT{}S", base::seconds(time)); }

std::int64_t ticks(base::Duration time) {
  return std::llround(base::seconds(time) * static_cast<double>(kDashTimescale));
}

/// A whole number or a fraction: "25", "30000/1001" (FrameRateType in the schema).
std::string frame_rate(double rate) {
  const std::int64_t whole = std::llround(rate);
  const std::int64_t thousandths = std::llround(rate * 1000);
  if (thousandths == whole * 1000) return fmt::format("{}", whole);
  if (thousandths == std::llround(static_cast<double>(whole) * 1e6 / 1001)) {
    return fmt::format("{}/1001", whole * 1000);
  }
  return fmt::format("{}/1000", thousandths);
}

std::string utc_timing(const Manifest& manifest) {
  if (manifest.utc_timing_uri.empty()) return {};
  return fmt::format("<UTCTiming schemeIdUri=\"urn:mpeg:dash:utc:http-xsdate:2014\" value=\"{}\"/>",
                     escaped(manifest.utc_timing_uri));
}

/// The first number that players may compute with. The presentation starts there instead of at the
/// epoch, because libavformat takes 1970-01-01T00:00:00Z for a missing availabilityStartTime, and
/// reads whole seconds only.
std::int64_t start_number(const Manifest& manifest) {
  const base::Duration least = std::chrono::seconds{1};
  return (least + manifest.segment - base::Duration{1}) / manifest.segment;
}

/// The media time at which the presentation starts.
base::Duration start_time(const Manifest& manifest) {
  return start_number(manifest) * manifest.segment;
}

std::string start_date(const Manifest& manifest) {
  using Clock = std::chrono::system_clock;
  return utc_text(manifest.epoch +
                  std::chrono::duration_cast<Clock::duration>(start_time(manifest)));
}

/// A player must not buffer more than the latency it aims for.
base::Duration min_buffer(const Manifest& manifest) {
  return std::min(manifest.segment, manifest.target_latency);
}

void append_begin(std::string& out, const Manifest& manifest) {
  const auto end = std::back_inserter(out);
  fmt::format_to(end,
                 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                 "<MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\" profiles=\"{}\" type=\"dynamic\"",
                 kMpdProfiles);
  fmt::format_to(end, " availabilityStartTime=\"{}\" publishTime=\"{}\" minimumUpdatePeriod=\"{}\"",
                 start_date(manifest), utc_text(manifest.publish), duration(kManifestUpdatePeriod));
  fmt::format_to(end,
                 " minBufferTime=\"{}\" timeShiftBufferDepth=\"{}\""
                 " suggestedPresentationDelay=\"{}\" maxSegmentDuration=\"{}\">\n",
                 duration(min_buffer(manifest)), duration(manifest.window),
                 duration(presentation_delay(manifest)), duration(manifest.segment));
  if (!manifest.base_url.empty()) {
    fmt::format_to(end, "  <BaseURL>{}</BaseURL>\n", escaped(manifest.base_url));
  }
  if (!manifest.location.empty()) {
    fmt::format_to(end, "  <Location>{}</Location>\n", escaped(manifest.location));
  }
}

/// The latency is measured against the reference time of the first set (Annex K; IOP 6.4.2).
void append_service(std::string& out, const Manifest& manifest) {
  fmt::format_to(std::back_inserter(out),
                 "  <ServiceDescription id=\"0\">\n"
                 "    <Latency referenceId=\"{}\" target=\"{}\"/>\n"
                 "    <PlaybackRate max=\"{}\" min=\"{}\"/>\n"
                 "  </ServiceDescription>\n",
                 manifest.video.empty() ? kAudioSetId : kVideoSetId,
                 std::chrono::round<std::chrono::milliseconds>(manifest.target_latency).count(),
                 kMaxPlaybackRate, kMinPlaybackRate);
}

/// Ties media time to wall time, in each set (IOP 6.4.3): a pts is the time of capture.
void append_reference_time(std::string& out, const Manifest& manifest, int set) {
  const auto end = std::back_inserter(out);
  fmt::format_to(end,
                 "      <ProducerReferenceTime id=\"{}\" type=\"captured\" wallClockTime=\"{}\""
                 " presentationTime=\"{}\"",
                 set, start_date(manifest), ticks(start_time(manifest)));
  const std::string timing = utc_timing(manifest);
  if (timing.empty()) {
    out += "/>\n";
  } else {
    fmt::format_to(end, ">\n        {}\n      </ProducerReferenceTime>\n", timing);
  }
}

/// A dollar sign begins an identifier of the template (ISO/IEC 23009-1, 5.3.9.4.4).
std::string in_template(std::string_view query) {
  std::string out;
  for (const char c : query) out += c == '$' ? "$$" : std::string(1, c);
  return escaped(out);
}

/// Resync and the two availability attributes describe chunks, and are absent if segments are sent
/// whole (IOP 6.4.4, 6.4.5). The offset makes a segment available with its first chunk.
void append_template(std::string& out, const Manifest& manifest) {
  const auto end = std::back_inserter(out);
  const bool chunked = manifest.chunk < manifest.segment;
  if (chunked) fmt::format_to(end, "      <Resync dT=\"{}\"/>\n", ticks(manifest.chunk));
  fmt::format_to(end,
                 "      <SegmentTemplate timescale=\"{}\" duration=\"{}\" startNumber=\"{}\""
                 " presentationTimeOffset=\"{}\"",
                 kDashTimescale, ticks(manifest.segment), start_number(manifest),
                 ticks(start_time(manifest)));
  if (chunked) {
    fmt::format_to(end, " availabilityTimeOffset=\"{}\" availabilityTimeComplete=\"false\"",
                   base::seconds(manifest.segment - manifest.chunk));
  }
  fmt::format_to(end,
                 " initialization=\"$RepresentationID$/init.mp4{0}\""
                 " media=\"$RepresentationID$/$Number$.m4s{0}\"/>\n",
                 in_template(manifest.query));
}

void append_representation(std::string& out, const Representation& it, std::string_view more) {
  fmt::format_to(std::back_inserter(out),
                 "      <Representation id=\"{}\" bandwidth=\"{}\" codecs=\"{}\"{}/>\n",
                 escaped(it.id), it.bandwidth.bps(), escaped(it.codec), more);
}

/// The code points of ISO/IEC 23091-2, supplemental because all screens show BT.709
/// (IOP 4.3, 10.3).
void append_colour(std::string& out, const media::Colour& colour) {
  constexpr int kUnspecified = 2;
  for (const auto& [name, value] : {std::pair{"ColourPrimaries", colour.primaries},
                                    std::pair{"TransferCharacteristics", colour.transfer},
                                    std::pair{"MatrixCoefficients", colour.matrix}}) {
    if (value == kUnspecified) continue;
    fmt::format_to(std::back_inserter(out),
                   "      <SupplementalProperty schemeIdUri=\"urn:mpeg:mpegB:cicp:{}\""
                   " value=\"{}\"/>\n",
                   name, value);
  }
}

void append_video(std::string& out, const Manifest& manifest) {
  fmt::format_to(std::back_inserter(out),
                 "    <AdaptationSet id=\"{}\" contentType=\"video\" mimeType=\"video/mp4\""
                 " sar=\"{}:{}\" segmentAlignment=\"true\" startWithSAP=\"1\">\n",
                 kVideoSetId, manifest.format.sar_num, manifest.format.sar_den);
  append_colour(out, manifest.format.colour);
  append_reference_time(out, manifest, kVideoSetId);
  append_template(out, manifest);
  for (const Representation& it : manifest.video) {
    auto more = fmt::format(" width=\"{}\" height=\"{}\"", it.width, it.height);
    if (it.frame_rate > 0) more += fmt::format(" frameRate=\"{}\"", frame_rate(it.frame_rate));
    append_representation(out, it, more);
  }
  out += "    </AdaptationSet>\n";
}

void append_audio(std::string& out, const Manifest& manifest) {
  fmt::format_to(std::back_inserter(out),
                 "    <AdaptationSet id=\"{}\" contentType=\"audio\" mimeType=\"audio/mp4\""
                 " segmentAlignment=\"true\" startWithSAP=\"1\">\n"
                 "      <AudioChannelConfiguration"
                 " schemeIdUri=\"urn:mpeg:mpegB:cicp:ChannelConfiguration\" value=\"{}\"/>\n",
                 kAudioSetId, media::kAudioChannels);
  append_reference_time(out, manifest, kAudioSetId);
  append_template(out, manifest);
  append_representation(out, *manifest.audio,
                        fmt::format(" audioSamplingRate=\"{}\"", media::kAudioRate));
  out += "    </AdaptationSet>\n";
}

}  // namespace

base::Duration presentation_delay(const Manifest& manifest) {
  return manifest.target_latency + manifest.segment;
}

/// Elements are in the order of the schema.
std::string text(const Manifest& manifest) {
  std::string out;
  append_begin(out, manifest);
  append_service(out, manifest);
  out += "  <Period id=\"0\" start=\"PT0S\">\n";
  if (!manifest.video.empty()) append_video(out, manifest);
  if (manifest.audio) append_audio(out, manifest);
  out += "  </Period>\n";
  const std::string timing = utc_timing(manifest);
  if (!timing.empty()) fmt::format_to(std::back_inserter(out), "  {}\n", timing);
  return out += "</MPD>\n";
}

}  // namespace segments
