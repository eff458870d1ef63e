#pragma once

#include <memory>
#include <string>

#include "app/segments/session.h"
#include "segments/target.h"
#include "server/streaming_response.h"

namespace app {

/// An initialization section, a part, or a segment, which is sent as it is made. Responds with 404
/// if `target` does not exist, and with 503 if it is not ready by `until`. A segment within the
/// window that was never made has a stand-in. REQUIRES: one of these kinds.
std::unique_ptr<server::StreamingResponse> media_response(std::shared_ptr<SegmentSession> session,
                                                          const segments::Target& target,
                                                          base::Time until);

}  // namespace app
