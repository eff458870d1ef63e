#include "app/pipeline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <malloc.h>

#include <algorithm>
#include <future>
#include <utility>

#include "app/config/config_changes.h"
#include "app/http/api_json.h"
#include "app/http/near_miss.h"
#include "app/http/pages.h"
#include "app/web/web_pages.h"
#include "base/cpus.h"
#include "base/log.h"
#include "base/memory.h"
#include "segments/utc_time.h"
#include "server/query.h"
#include "transcoder/process/process_source.h"

namespace app {

namespace {

std::unique_ptr<Trace> open_trace(const std::string& directory) {
  if (directory.empty()) return nullptr;
  return std::make_unique<Trace>(directory);
}

// Media time follows the system clock by half a millisecond per second, which is far below a frame.
constexpr base::Duration kClockCheckInterval = std::chrono::seconds{1};

void log_end(const FinalStatistics::Report& end) {
  const auto& info = end.reading.info;
  base::log::info(
      "connection_ended",
      {{"viewer", end.viewer},
       {"stream", end.stream},
       {"address", end.address.text()},
       {"bytes_acked", info.bytes_acked},
       {"segments", info.data_segs_out},
       {"retransmitted", info.total_retrans},
       {"timeouts", end.reading.has_total_rto() ? std::to_string(info.total_rto) : "unknown"},
       {"min_rtt", base::Duration{std::chrono::microseconds{info.min_rtt}}},
       {"statistics", end.is_final ? "final" : "last_seen"}});
}

/// Says what to open in a browser and in a player.
void log_listening(const server::Endpoint& endpoint, const StreamConfig& first) {
  const auto page = "http://" + server::reachable_text(endpoint) + "/";
  base::log::info(
      "listening",
      {{"address", endpoint.text()}, {"page", page}, {"player", page + first.media.name + ".ts"}});
}

/// The configuration that a stream runs with.
StreamConfig running_config(const LiveStream& stream) {
  StreamConfig result{.media = stream.media_settings(),
                      .control = stream.viewer_settings()->control,
                      .tcp = stream.viewer_settings()->tcp,
                      .points = stream.point_settings(),
                      .segments = stream.segment_settings()};
  result.control.groups = stream.group_settings();
  return result;
}

/// All processes of sources together: the server needs the rest, mostly for encoders and queues.
base::ByteCount memory_of_sources() {
  constexpr double kShare = 0.6;
  const auto all = static_cast<double>(base::usable_memory().bytes());
  return base::ByteCount{static_cast<std::int64_t>(kShare * all)};
}

/// Stops all streams at once, because each may wait for its source to let go; then the slowest sets
/// the time. Streams for which no thread is available stop one after the other.
void stop_all(const std::vector<std::shared_ptr<LiveStream>>& streams) {
  std::vector<std::future<void>> stops;
  for (const auto& stream : streams) {
    stops.push_back(
        std::async(std::launch::async | std::launch::deferred, [&stream] { stream->stop(); }));
  }
  for (const auto& stop : stops) stop.wait();
}

}  // namespace

Pipeline::Pipeline(Config config, KernelAccess kernel)
    : config_{std::move(config)},
      metrics_max_viewers_{config_.metrics_max_viewers},
      listening_{std::move(kernel.listening)},
      events_{std::move(kernel.events), server::loop_count(config_.server)},
      congestion_controls_{std::move(kernel.congestion_controls)},
      hints_{std::move(kernel.hints)},
      final_statistics_{std::move(kernel.destroyed_sockets), log_end},
      metrics_{kernel.event_source},
      budgets_{server::loop_count(config_.server), config_.telemetry},
      trace_{open_trace(config_.trace_directory)},
      networks_{networks_file(config_.state_directory)},
      admin_{config_.server.admin_allow, config_.server.admin_hosts},
      api_{admin_,
           {.state =
                [this](base::Time now) {
                  const auto viewers = some_viewers();  // first: every viewer listed has a group
                  return api_json::state(stream_states(), viewers, now);
                },
            .streams =
                [this](const api_json::Reader& reader, std::uint64_t revision) {
                  return api_json::streams(stream_states(), config_.page, reader, revision);
                },
            .look = [this] { return stream_sources(); },
            .names = [this] { return controller_.names(); },
            .connections = [this] { return api_json::connections(connections_.list()); }},
           taps_},
      controller_{{sampler_, events_, final_statistics_, kernel.event_source, viewers_,
                   connections_, budgets_, hints_, kernel.standard_controls, networks_, neighbours_,
                   warnings_, trace_.get(), taps_},
                  api_,
                  config_.on_demand.cpu * base::usable_cpus(),
                  [this](const auto& request) { return respond_fallback(request); }},
      server_{config_.server, controller_},
      make_source_{transcoder::process_source_maker(transcoder::IngestProgram::find(),
                                                    memory_of_sources(),
                                                    std::move(kernel.memory_groups))} {
  for (const auto& stream : config_.streams) controller_.add(make_stream(stream));
  add_pages();
}

Pipeline::~Pipeline() { stop(); }

void Pipeline::start() {
  server_.start(std::move(listening_));
  for (const auto& endpoint : server_.listening()) log_listening(endpoint, config_.streams.front());
  for (const auto& stream : controller_.streams()) stream->start();
}

void Pipeline::tick(base::Time now) {
  check_clock(now);
  check_proxies(now);
  const auto server = server_.state();
  controller_.tick(server.frames_per_write > 1, now);
  if (freed_memory_.due(server.clients)) ::malloc_trim(0);
  final_statistics_.expire(now);
  networks_.tick(now);
}

void Pipeline::check_clock(base::Time now) {
  if (now - clock_checked_ < kClockCheckInterval) return;
  clock_checked_ = now;
  const auto change = media_clock_.update(transcoder::MediaClock::Reading::now());
  if (change.set != base::Duration{}) {
    base::log::warning(
        "system_clock_set",
        {{"seconds", base::seconds(change.set)},
         {"hint",
          "current HLS and DASH players keep the old time, new ones get the new time; segment "
          "numbers continue and follow the clock again after symcast restarts"}});
  }
  if (change.suspended != base::Duration{}) {
    base::log::warning(
        "machine_suspended",
        {{"seconds", base::seconds(change.suspended)},
         {"hint",
          "players continue where they were; segment numbers continue and follow the clock again "
          "after symcast restarts"}});
  }
}

void Pipeline::check_proxies(base::Time now) {
  const auto found = proxy_watch_.update(viewers_, now);
  if (!found) return;
  base::log::warning(
      "viewers_at_one_address",
      {{"address", found->address.text()},
       {"viewers", found->viewers},
       {"hint",
        "their TCP connections end less than 1 ms away: if a proxy is there, rates cannot follow "
        "the viewers' links; docs/PROXIES.md says what to use instead"}});
}

void Pipeline::stop() {
  server_.stop();
  controller_.end_sessions();
  final_statistics_.expire(base::Time::max());
  networks_.save();
  stop_all(controller_.streams());
}

std::shared_ptr<LiveStream> Pipeline::make_stream(const StreamConfig& config) {
  return std::make_shared<LiveStream>(next_stream_++, config, media_clock_, make_source_, server_,
                                      metrics_);
}

void Pipeline::close_channels(LiveStream& stream) {
  for (const auto& [group, state] : stream.ladder().state().groups) {
    server_.close_channel({stream.index(), group});
  }
}

std::vector<std::shared_ptr<LiveStream>> Pipeline::start_added(const Config& config) {
  std::vector<std::shared_ptr<LiveStream>> added;
  for (const auto& stream : config.streams) {
    if (!controller_.find(stream.media.name)) added.push_back(make_stream(stream));
  }
  for (const auto& stream : added) stream->start();
  return added;
}

void Pipeline::remove_missing(const Config& config) {
  std::vector<std::shared_ptr<LiveStream>> removed;
  for (const auto& stream : controller_.streams()) {
    const auto same = [&](const StreamConfig& s) { return s.media.name == stream->name(); };
    if (std::ranges::any_of(config.streams, same)) continue;
    removed.push_back(controller_.remove(stream->name()));
  }
  stop_all(removed);
  for (const auto& stream : removed) {
    close_channels(*stream);
    base::log::info("stream_removed", {{"stream", stream->name()}});
  }
}

void Pipeline::reconfigure_kept(const Config& config) {
  for (const auto& wanted : config.streams) {
    const auto running = controller_.find(wanted.media.name);
    if (!running) continue;
    if (const auto keys = keys_for_restart(running_config(*running), wanted); !keys.empty()) {
      base::log::warning("stream_change_needs_restart",
                         {{"stream", running->name()},
                          {"keys", fmt::format("{}", fmt::join(keys, ", "))},
                          {"hint",
                           "a running stream cannot change these keys; rename it, which "
                           "disconnects its viewers, or restart symcast"}});
    }
    running->reconfigure({wanted.control, wanted.tcp});
  }
}

void Pipeline::reload(const Config& config) {
  // Steps that may throw come first, so that a refused reload changes nothing. An added stream may
  // therefore start before a removed one has let go of an exclusive source; it then tries again.
  require_congestion_controls(config, hints_);
  const auto added = start_added(config);
  base::log::set_level(config.log_level);
  metrics_max_viewers_ = config.metrics_max_viewers;
  if (const auto keys = keys_for_restart(config_, config); !keys.empty()) {
    base::log::warning("server_change_needs_restart",
                       {{"keys", fmt::format("{}", fmt::join(keys, ", "))},
                        {"hint", "these keys are read only at start; restart symcast"}});
  }
  remove_missing(config);
  reconfigure_kept(config);
  for (const auto& stream : added) {
    base::log::info("stream_added", {{"stream", stream->name()}});
    controller_.add(stream);
  }
  std::vector<std::string> order;
  for (const auto& stream : config.streams) order.push_back(stream.media.name);
  controller_.arrange(order);
}

void Pipeline::add_pages() {
  using server::Access;
  using server::SharedBytes;
  const auto status = [this](const server::PageRequest& request) {
    return server::Page{
        200, "text/html; charset=utf-8",
        SharedBytes::of(pages::status(stream_states(), admin_.permits(request.client),
                                      server::kept_query(request.query)))};
  };
  server_.add_page("/status", Access::kPublic, status);
  if (!web_pages::add_to(server_, config_.page)) server_.add_page("/", Access::kPublic, status);
  server_.add_page("/healthz", Access::kPublic, [this](const server::PageRequest&) {
    return server::Page{.body = SharedBytes::of(pages::health(stream_states()))};
  });
  server_.add_page("/api/v1/time", Access::kPublic, [this](const server::PageRequest&) {
    const auto now = media_clock_.at(base::Clock::now()) + media_clock_.date_offset();
    return server::Page{.body = SharedBytes::of(segments::utc_text(transcoder::date(now))),
                        .media = true};
  });
  server_.add_page("/metrics", Access::kAdmin, [this](const server::PageRequest&) {
    const StateCollector states{[this] { return snapshot(); }};
    return server::Page{200, "text/plain; version=0.0.4; charset=utf-8",
                        SharedBytes::of(metrics_.text(states))};
  });
}

/// The page of one stream, or a redirect from a path that other servers have.
std::unique_ptr<server::StreamingResponse> Pipeline::respond_fallback(
    const server::HandlerRequest& request) const {
  const auto names = controller_.names();
  if (std::ranges::find(names, request.path.substr(1)) != names.end()) {
    if (const auto* document = web_pages::document()) {
      return web_pages::respond(web_pages::page(*document, false, request.query, config_.page));
    }
  }
  const auto meant = near_miss(request.path, names);
  if (!meant) return nullptr;
  const auto query = request.query.empty() ? "" : "?" + request.query;
  return web_pages::respond({.status = 302,
                             .body = server::SharedBytes::of("this is at " + *meant + "\n"),
                             .fields = {"Location: " + relative_path(request.path, *meant) + query},
                             .media = true});
}

std::string Pipeline::summary() const { return pages::summary(stream_states()); }

std::vector<LiveStream::State> Pipeline::stream_states() const {
  std::vector<LiveStream::State> states;
  for (const auto& stream : controller_.streams()) states.push_back(stream->state());
  return states;
}

std::vector<LiveStream::Source> Pipeline::stream_sources() const {
  std::vector<LiveStream::Source> sources;
  for (const auto& stream : controller_.streams()) sources.push_back(stream->source());
  return sources;
}

/// As many viewers as may be reported individually.
std::vector<ViewerTelemetry> Pipeline::some_viewers() const {
  return viewers_.list(static_cast<std::size_t>(metrics_max_viewers_));
}

StateCollector::Snapshot Pipeline::snapshot() const {
  StateCollector::Snapshot all{
      .streams = {},
      .server = server_.state(),
      .process = ProcessState::read(),
      .max_viewers = static_cast<std::uint64_t>(config_.server.max_viewers),
      .viewers = some_viewers(),
      .at_one_address = ProxyWatch::find(viewers_).value_or(ViewerTable::Shared{}).viewers,
      .loops = budgets_.states(),
      .events_lost = events_.lost(),
      .ends = final_statistics_.state(),
      .on_demand = controller_.segments().on_demand(),
      .networks = networks_.state(),
      .segment_requests_refused = controller_.segments().requests_refused(),
      .trace_lines_lost = trace_ ? trace_->lines_lost() : 0,
      .event_lines_lost = taps_.lines_dropped(),
      .traces = static_cast<std::uint64_t>(api_.traces()),
      .options_refused = warnings_.counts()};
  all.server.joined += controller_.segments().joined();
  all.server.left[static_cast<std::size_t>(server::LeaveReason::kClosedByViewer)] +=
      controller_.segments().left();
  all.server.left[static_cast<std::size_t>(server::LeaveReason::kEvicted)] +=
      controller_.segments().evicted();
  all.streams = stream_states();  // last: every viewer counted above has a group here
  return all;
}

}  // namespace app
