#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "app/segments/on_demand.h"
#include "app/segments/session.h"
#include "server/full_response.h"
#include "server/streaming_response.h"

namespace app {

/// A segment at a rate that the player has chosen, its media times `later` than the request's.
/// Waits until it has been made and encoded, and responds with 503 if it has not by `until`.
std::unique_ptr<server::StreamingResponse> rate_response(std::shared_ptr<SegmentSession> session,
                                                         OnDemand& on_demand,
                                                         OnDemand::Request request,
                                                         base::Duration later, base::Time until);

/// The error for a segment that is not there at this rate, and will not be.
std::optional<server::FullResponse> missing_at_rate(const OnDemand& on_demand,
                                                    const LiveStream& stream, std::uint64_t number,
                                                    base::BitRate rate);

}  // namespace app
