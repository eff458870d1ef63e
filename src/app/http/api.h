#pragma once

#include <memory>

#include "app/http/state_events.h"
#include "app/telemetry/viewer_taps.h"
#include "server/admin_access.h"
#include "server/streaming_response.h"

namespace app {

/// The part of the HTTP API that is not pages (docs/API.md): streams of events, only for admins
/// (server::AdminAccess). Thread-safe.
class Api {
 public:
  /// `taps` must outlive this object.
  Api(server::AdminAccess admin, StateEvents::Make make_state, ViewerTaps& taps);

  /// Returns null for any other path.
  std::unique_ptr<server::StreamingResponse> respond(const server::HandlerRequest& request);

 private:
  const server::AdminAccess admin_;
  StateEvents states_;
  ViewerTaps& taps_;
};

}  // namespace app
