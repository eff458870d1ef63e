#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/http/state_events.h"
#include "app/telemetry/viewer_taps.h"
#include "server/admin_access.h"
#include "server/slots.h"
#include "server/streaming_response.h"

namespace app {

/// The part of the HTTP API that is not pages (docs/API.md): streams of events and traces, only for
/// admins (server::AdminAccess). Thread-safe.
class Api {
 public:
  using Names = std::function<std::vector<std::string>()>;  ///< called on any thread

  // Each may have 100 viewers (ViewerTaps::kMaxViewersOfStream). More would slow the server down,
  // fewer would make administrators wait for each other.
  static constexpr int kMaxTraces = 4;

  /// `names`: those of the streams. `taps` must outlive this object.
  Api(server::AdminAccess admin, StateEvents::Make make_state, Names names, ViewerTaps& taps);

  /// Returns null for any other path.
  std::unique_ptr<server::StreamingResponse> respond(const server::HandlerRequest& request);
  int traces() const { return traces_.taken(); }  ///< open ones

 private:
  std::unique_ptr<server::StreamingResponse> lines_of(server::ViewerId viewer);
  std::unique_ptr<server::StreamingResponse> trace(const server::HandlerRequest& request);

  const server::AdminAccess admin_;
  StateEvents states_;
  const Names names_;
  ViewerTaps& taps_;
  server::Slots traces_{kMaxTraces, kMaxTraces};
};

}  // namespace app
