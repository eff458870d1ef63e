#include "app/http/state_events.h"

#include "app/telemetry/server_sent_event.h"

namespace app {

namespace {
// An interval, less the 50 ms by which an answer may be woken late.
constexpr base::Duration kFresh = StateEvents::kInterval - std::chrono::milliseconds{100};
}  // namespace

std::optional<server::SharedBytes> StateEvents::get(base::Time now) {
  const std::unique_lock lock{mutex_, std::try_to_lock};
  if (!lock) return {};
  if (!newest_ || now - made_ >= kFresh) {
    newest_ = server_sent_event("state", make_(now));
    made_ = now;
  }
  return newest_;
}

}  // namespace app
