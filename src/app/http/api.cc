#include "app/http/api.h"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "app/http/event_responses.h"
#include "server/full_response.h"

namespace app {

namespace {

using server::error_response;
using server::respond_with;

constexpr std::string_view kStateEventsPath = "/api/v1/events";
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

}  // namespace

Api::Api(server::AdminAccess admin, StateEvents::Make make_state, ViewerTaps& taps)
    : admin_{std::move(admin)}, states_{std::move(make_state)}, taps_{taps} {}

std::unique_ptr<server::StreamingResponse> Api::respond(const server::HandlerRequest& request) {
  const auto viewer = viewer_of(request.path);
  if (!viewer && request.path != kStateEventsPath) return nullptr;
  if (const auto refusal = admin_.refusal(request.client)) {
    return respond_with(error_response(403, *refusal));
  }
  if (!viewer) return event_responses::states(states_);
  auto watch = taps_.watch(*viewer);
  if (!watch) {
    return respond_with(error_response(404, "there is no viewer " + std::to_string(*viewer) +
                                                "; /api/v1/events lists the current viewers"));
  }
  return event_responses::lines(std::move(*watch));
}

}  // namespace app
