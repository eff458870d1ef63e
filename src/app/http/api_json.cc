#include "app/http/api_json.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "app/config/version.h"
#include "app/telemetry/names.h"
#include "segments/utc_time.h"

namespace app::api_json {

namespace {

using nlohmann::json;

/// Names and errors from outside may have any encoding; invalid bytes are replaced.
std::string text(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

json known(const std::string& value) { return value.empty() ? json(nullptr) : json(value); }
/// Null if zero, which means unknown.
template <typename Number>
json known(Number value) {
  return value > 0 ? json(value) : json(nullptr);
}
json known(base::BitRate rate) { return known(rate.bps()); }
json known(base::Duration time) { return known(base::seconds(time)); }
template <typename Number>
json known(const std::optional<Number>& value) {
  return value ? json(*value) : json(nullptr);
}

double at(base::Time time) { return base::seconds(time.time_since_epoch()); }

/// Rounded to two digits, such as 29.97.
json frame_rate(const transcoder::Stream::FullPictures& frames) {
  if (!frames.measured || frames.frame_rate == 0) return nullptr;
  return std::round(100 * frames.frame_rate) / 100;
}

json formats(const LiveStream::State& stream) {
  json all = json::array();
  for (const auto container : stream.containers) all.push_back(media::name(container));
  if (stream.segments) all.insert(all.end(), {"hls", "dash"});
  return all;
}

json date(const std::optional<std::chrono::system_clock::time_point>& time) {
  return time ? json(segments::utc_text(*time)) : json(nullptr);
}

json troubles(const transcoder::Ingest::State& source) {
  json all = json::array();
  for (const auto& [trouble, detail] : source.troubles) all.push_back(transcoder::name(trouble));
  return all;
}

json offer(const LiveStream::State& stream) {
  const auto& source = stream.media.source;
  return {{"name", stream.name},
          {"state", name(source.status)},
          {"troubles", troubles(source)},
          {"away_since", date(stream.away_since)},
          {"last_picture", date(stream.last_picture)},
          {"began", segments::utc_text(stream.began)},
          {"width", known(source.format.width)},
          {"height", known(source.format.height)},
          {"frame_rate", frame_rate(stream.media.pictures)},
          {"video_codec", known(stream.video_codec)},
          {"audio_codec", stream.audio ? json(media::kAudioCodec) : json(nullptr)},
          {"rate", {{"min", stream.rate.min.bps()}, {"max", stream.rate.max.bps()}}},
          {"formats", formats(stream)}};
}

json group(Ladder::GroupIndex index, const transcoder::EncodeGroup::State& group,
           const Ladder::Group& slots) {
  return {{"index", index},
          {"target", group.target.bps()},
          {"rate", group.actual.bps()},
          {"audio", group.audio == base::BitRate{} ? json(nullptr) : json(group.audio.bps())},
          {"viewers", slots.viewers},
          {"width", known(group.format.width)},
          {"height", known(group.format.height)},
          {"frames", group.frames},
          {"frames_late", group.frames_late},
          {"keyframes_forced", group.keyframes_forced},
          {"closing", slots.closing}};
}

json groups(const LiveStream::State& stream) {
  json all = json::array();
  for (const auto& [index, slots] : stream.ladder.groups) {
    const auto found = stream.media.groups.find(index);
    if (found != stream.media.groups.end()) all.push_back(group(index, found->second, slots));
  }
  return all;
}

/// Why the source is missing; null while it is playing.
json error(const transcoder::Ingest::State& source) {
  if (source.status == transcoder::Ingest::Status::kPlaying) return nullptr;
  return known(source.last_error);
}

json stream_state(const LiveStream::State& stream) {
  const auto& source = stream.media.source;
  return {{"name", stream.name},
          {"state", name(source.status)},
          {"error", error(source)},
          {"troubles", troubles(source)},
          {"away_since", date(stream.away_since)},
          {"last_picture", date(stream.last_picture)},
          {"source_bytes", source.bytes},
          {"source_video_codec", known(source.video_codec)},
          {"source_audio_codec", known(source.audio_codec)},
          {"dejitter", base::seconds(source.longest_wait)},
          {"width", known(source.format.width)},
          {"height", known(source.format.height)},
          {"viewers", stream.viewers()},
          {"max_groups", stream.ladder.max_groups},
          {"preset", known(stream.preset)},
          {"groups", groups(stream)}};
}

json viewer_state(const ViewerTelemetry& viewer) {
  return {{"id", viewer.id},
          {"stream", viewer.stream},
          {"format", viewer.format},
          {"address", viewer.address.text()},
          {"user_agent", viewer.user_agent},
          {"group", viewer.group},
          {"connected", at(viewer.connected)},
          {"target", viewer.target.bps()},
          {"reason", abr::name(viewer.reason)},
          {"capacity", known(viewer.path.capacity)},
          {"rtt", known(viewer.rtt)},
          {"min_rtt", known(viewer.min_rtt)},
          {"cwnd", viewer.cwnd},
          {"ssthresh", known(viewer.ssthresh)},
          {"backlog", base::seconds(viewer.backlog)},
          {"behind_live", known(viewer.behind_live)},
          {"delivery_rate", known(viewer.delivery_rate)},
          {"bytes_sent", viewer.bytes_sent.bytes()},
          {"frames_dropped", viewer.frames_dropped},
          {"switches", viewer.switches},
          {"congestion_events", viewer.events}};
}

json text_of(server::Proxy proxy) {
  switch (proxy) {
    case server::Proxy::kTrusted:
      return "trusted";
    case server::Proxy::kUnknown:
      return "unknown";
    case server::Proxy::kNone:
      break;
  }
  return nullptr;
}

}  // namespace

std::string streams(const std::vector<LiveStream::State>& streams, const PageSettings& page,
                    const Reader& reader, std::uint64_t revision) {
  json all = json::array();
  for (const auto& stream : streams) all.push_back(offer(stream));
  return text(
      {{"version", kVersion},
       {"revision", revision},
       {"admin", reader.admin},
       {"proxy", text_of(reader.proxy)},
       {"page",
        {{"title", page.title}, {"logo", !page.logo.empty()}, {"technical", page.technical}}},
       {"streams", std::move(all)}});
}

std::string state(const std::vector<LiveStream::State>& streams,
                  const std::vector<ViewerTelemetry>& viewers, base::Time now) {
  json by_stream = json::array();
  std::size_t total = 0;
  for (const auto& stream : streams) {
    by_stream.push_back(stream_state(stream));
    total += stream.viewers();
  }
  json by_viewer = json::array();
  for (const auto& viewer : viewers) by_viewer.push_back(viewer_state(viewer));
  return text({{"at", at(now)},
               {"streams", std::move(by_stream)},
               {"viewers_total", total},
               {"viewers", std::move(by_viewer)}});
}

std::string connections(const std::vector<ViewerConnection>& connections) {
  json all = json::array();
  for (const auto& connection : connections) {
    all.push_back({{"peer", connection.peer.text()},
                   {"viewer", connection.viewer},
                   {"stream", connection.stream},
                   {"format", connection.format}});
  }
  return text({{"connections", std::move(all)}});
}

}  // namespace app::api_json
