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

constexpr std::string_view kStates = "/api/v1/events";
constexpr std::string_view kViewers = "/api/v1/viewers/";
constexpr std::string_view kEvents = "/events";

/// ID, of /api/v1/viewers/ID/events.
std::optional<server::ViewerId> viewer_of(std::string_view path) {
  if (!path.starts_with(kViewers) || !path.ends_with(kEvents)) return {};
  path.remove_prefix(kViewers.size());
  if (path.size() <= kEvents.size()) return {};
  path.remove_suffix(kEvents.size());
  server::ViewerId id = 0;
  const auto [end, error] = std::from_chars(path.data(), path.data() + path.size(), id);
  if (error != std::errc{} || end != path.data() + path.size()) return {};
  return id;
}

}  // namespace

Api::Api(server::AdminList admins, StateEvents::Make make_state, ViewerTaps& taps)
    : admins_{std::move(admins)}, states_{std::move(make_state)}, taps_{taps} {}

std::unique_ptr<server::StreamingResponse> Api::respond(const server::HandlerRequest& request) {
  const auto viewer = viewer_of(request.path);
  if (!viewer && request.path != kStates) return nullptr;
  if (!admins_.contains(request.address)) {
    return respond_with(error_response(403, server::AdminList::refusal(request.address)));
  }
  if (!viewer) return event_responses::states(states_);
  auto watch = taps_.watch(*viewer);
  if (!watch)
    return respond_with(error_response(404, "there is no viewer " + std::to_string(*viewer)));
  return event_responses::lines(std::move(*watch));
}

}  // namespace app
