#pragma once

#include <memory>
#include <string>

#include "app/segments/session.h"
#include "segments/target.h"
#include "server/streaming_response.h"

namespace app {

/// An initialization section, a segment, which is sent as it is made, or a part, when it has been.
std::unique_ptr<server::StreamingResponse> media_response(std::shared_ptr<SegmentSession> session,
                                                          const segments::Target& target,
                                                          base::Time until);

}  // namespace app
