#pragma once

#include <memory>
#include <string>

#include "app/segments/session.h"
#include "segments/target.h"
#include "server/streaming_response.h"

namespace app {

struct BeginRequest {
  segments::Choice choice = segments::Choice::kServer;  ///< one rendition, or a ladder
  bool in_session = false;                              ///< the requested URL names the session
  std::string query;  ///< the end of every URL in the response: server::kept_query()
};

/// The response that starts a session: the multivariant playlist of HLS, or the manifest of DASH.
/// Waits for the stream's headers, and responds with 503 if they have not come by `until`. URLs are
/// relative, so that a proxy may serve the stream below a path of its own.
std::unique_ptr<server::StreamingResponse> multivariant_response(
    const std::shared_ptr<SegmentSession>& session, BeginRequest request, base::Time until);
std::unique_ptr<server::StreamingResponse> manifest_response(
    const std::shared_ptr<SegmentSession>& session, BeginRequest request, base::Time until);

}  // namespace app
