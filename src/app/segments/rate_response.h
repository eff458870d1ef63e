#pragma once

#include <memory>

#include "app/segments/on_demand.h"
#include "app/segments/session.h"
#include "server/streaming_response.h"

namespace app {

/// A segment at a rate of the player's own, when it has been made and coded.
std::unique_ptr<server::StreamingResponse> rate_response(std::shared_ptr<SegmentSession> session,
                                                         OnDemand& on_demand,
                                                         OnDemand::Request asked, base::Time until);

}  // namespace app
