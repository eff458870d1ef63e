#include "app/http/api.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "app/http/event_responses.h"
#include "app/http/near_miss.h"
#include "app/http/trace_response.h"
#include "base/log.h"
#include "server/full_response.h"
#include "server/query.h"

namespace app {

namespace {

using server::error_response;
using server::respond_with;

constexpr std::string_view kStreamsPath = "/api/v1/streams";
constexpr std::string_view kStateEventsPath = "/api/v1/events";
constexpr std::string_view kConnectionsPath = "/api/v1/connections";
constexpr std::string_view kTracePath = "/api/v1/trace";
constexpr std::string_view kViewersPath = "/api/v1/viewers/";
constexpr std::string_view kViewerEventsSuffix = "/events";

/// Returns ID from /api/v1/viewers/ID/events, or nullopt for any other path.
std::optional<server::ViewerId> viewer_of(std::string_view path) {
  if (!path.starts_with(kViewersPath) || !path.ends_with(kViewerEventsSuffix)) return {};
  path.remove_prefix(kViewersPath.size());
  if (path.size() <= kViewerEventsSuffix.size()) return {};
  path.remove_suffix(kViewerEventsSuffix.size());
  server::ViewerId id = 0;
  const auto [end, error] = std::from_chars(path.data(), path.data() + path.size(), id);
  if (error != std::errc{} || end != path.data() + path.size()) return {};
  return id;
}

std::unique_ptr<server::StreamingResponse> refuse(int status, const std::string& what) {
  return respond_with(error_response(status, what));
}

std::string unknown_viewer(std::string_view id) {
  return fmt::format("there is no viewer {}; /api/v1/events lists the current viewers", id);
}

}  // namespace

Api::Api(server::AdminAccess admin, Sources sources, ViewerTaps& taps)
    : admin_{std::move(admin)},
      changes_{std::move(sources.look)},
      states_{std::move(sources.state), changes_.count()},
      streams_{std::move(sources.streams), changes_.count()},
      names_{std::move(sources.names)},
      connections_{std::move(sources.connections)},
      taps_{taps} {}

bool Api::is_for_admins(std::string_view path) {
  constexpr std::array kPaths{kStateEventsPath, kConnectionsPath, kTracePath};
  return viewer_of(path) || std::ranges::find(kPaths, path) != kPaths.end();
}

std::unique_ptr<server::StreamingResponse> Api::respond(const server::HandlerRequest& request) {
  if (request.path == kStreamsPath) return streams(request);
  if (!is_for_admins(request.path)) return nullptr;
  const auto viewer = viewer_of(request.path);
  if (const auto refusal = admin_.refusal(request.client)) return refuse(403, *refusal);
  if (viewer) return lines_of(*viewer);
  if (request.path == kTracePath) return trace(request);
  if (request.path == kStateEventsPath) return event_responses::states(states_);
  return respond_with(server::full_response({.content_type = "application/json"},
                                            {server::SharedBytes::of(connections_())}));
}

std::unique_ptr<server::StreamingResponse> Api::streams(const server::HandlerRequest& request) {
  const auto after = server::number_in<std::uint64_t>(request.query, "after");
  return streams_.respond({admin_.permits(request.client), request.client.proxy},
                          after ? *after : std::nullopt);
}

std::unique_ptr<server::StreamingResponse> Api::lines_of(server::ViewerId viewer) {
  auto watch = taps_.watch(viewer);
  if (!watch) return refuse(404, unknown_viewer(std::to_string(viewer)));
  return event_responses::lines(std::move(*watch));
}

std::unique_ptr<server::StreamingResponse> Api::trace(const server::HandlerRequest& request) {
  const auto viewer = server::value_in(request.query, "viewer");
  const auto stream = server::value_in(request.query, "stream");
  if (viewer.has_value() == stream.has_value()) {
    return refuse(400, fmt::format("a trace covers one viewer or one stream: end the URL in either "
                                   "?viewer=ID, see {}, or ?stream=NAME, see /api/v1/streams",
                                   kStateEventsPath));
  }
  const auto id = server::number_in<server::ViewerId>(request.query, "viewer");
  if (!id) {
    return refuse(400, fmt::format("viewer={} is no number: give the \"id\" of a viewer in {}",
                                   *viewer, kStateEventsPath));
  }
  const auto names = names_();
  if (stream && std::ranges::find(names, *stream) == names.end()) {
    return refuse(404, unknown_stream(std::string{*stream}, names));
  }
  auto slot = traces_.take(request.client.address);
  if (!std::holds_alternative<server::Slots::Slot>(slot)) {
    return refuse(
        503,
        fmt::format(
            "{} traces are already open: end one of them, or read the files in trace.directory",
            kMaxTraces));
  }
  auto watch = *id ? taps_.watch(**id) : std::optional{taps_.watch_stream(std::string{*stream})};
  if (!watch) return refuse(404, unknown_viewer(*viewer));
  base::log::info("trace_began", {{"address", request.client.address.text()},
                                  {viewer ? "viewer" : "stream", viewer ? *viewer : *stream}});
  return trace_response(std::move(*watch), std::get<server::Slots::Slot>(std::move(slot)));
}

}  // namespace app
