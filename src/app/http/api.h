#pragma once

#include <memory>

#include "app/http/state_events.h"
#include "app/telemetry/viewer_taps.h"
#include "server/admin_list.h"
#include "server/streaming_response.h"

namespace app {

/// What of the HTTP API is no page (docs/API.md): events, for admin.allow alone. Thread-safe.
class Api {
 public:
  /// `taps` must outlive it.
  Api(server::AdminList admins, StateEvents::Make make_state, ViewerTaps& taps);

  /// Null: the path is none of these.
  std::unique_ptr<server::StreamingResponse> respond(const server::HandlerRequest& request);

 private:
  const server::AdminList admins_;
  StateEvents states_;
  ViewerTaps& taps_;
};

}  // namespace app
