#pragma once

#include <memory>

#include "app/segments/on_demand.h"
#include "app/segments/session.h"
#include "server/answer.h"

namespace app {

/// A segment at a rate of the player's own, when it has been made and coded.
std::unique_ptr<server::Answer> rate_answer(std::shared_ptr<SegmentSession> session,
                                            OnDemand& on_demand, OnDemand::Asked asked,
                                            base::Time until);

}  // namespace app
