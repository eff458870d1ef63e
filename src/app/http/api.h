#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/http/state_events.h"
#include "app/http/stream_changes.h"
#include "app/http/stream_list.h"
#include "app/telemetry/viewer_taps.h"
#include "server/admin_access.h"
#include "server/slots.h"
#include "server/streaming_response.h"

namespace app {

/// The part of the HTTP API that is not pages (docs/API.md): the list of streams and, only for
/// admins (server::AdminAccess), streams of events and traces. Thread-safe.
class Api {
 public:
  using Names = std::function<std::vector<std::string>()>;  ///< called on any thread

  // Each may have 100 viewers (ViewerTaps::kMaxViewersOfStream). More would slow the server down,
  // fewer would make administrators wait for each other.
  static constexpr int kMaxTraces = 4;

  /// The parts of the program that the API reads.
  struct Sources {
    StateEvents::Make state;
    StreamList::Make streams;
    StreamChanges::Look look;
    Names names;                               ///< of the streams
    std::function<std::string()> connections;  ///< /api/v1/connections; called on any thread
  };

  /// `taps` must outlive this object.
  Api(server::AdminAccess admin, Sources sources, ViewerTaps& taps);

  /// Whether respond() refuses the path to all but administrators.
  static bool is_for_admins(std::string_view path);
  /// Returns null for any other path.
  std::unique_ptr<server::StreamingResponse> respond(const server::HandlerRequest& request);
  /// For one event loop to watch, so that readers hear of changes at once.
  std::unique_ptr<server::LoopSource> loop_source() { return changes_.loop_source(); }
  /// Looks for changes, as loop_source() does 20 times per second.
  void look(base::Time now) { changes_.update(now); }
  int traces() const { return traces_.taken(); }  ///< open ones

 private:
  std::unique_ptr<server::StreamingResponse> streams(const server::HandlerRequest& request);
  std::unique_ptr<server::StreamingResponse> lines_of(server::ViewerId viewer);
  std::unique_ptr<server::StreamingResponse> trace(const server::HandlerRequest& request);

  const server::AdminAccess admin_;
  StreamChanges changes_;
  StateEvents states_;
  StreamList streams_;
  const Names names_;
  const std::function<std::string()> connections_;
  ViewerTaps& taps_;
  server::Slots traces_{kMaxTraces, kMaxTraces};
};

}  // namespace app
