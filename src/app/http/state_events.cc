#include "app/http/state_events.h"

#include "app/telemetry/server_sent_event.h"

namespace app {

namespace {
// Age from which the state is made again: less than an interval, because a response may be woken 50
// ms late. With a larger age a response may repeat a state, a smaller one shares fewer states.
constexpr base::Duration kMaxSharedStateAge =
    StateEvents::kStateInterval - std::chrono::milliseconds{100};
}  // namespace

std::optional<server::SharedBytes> StateEvents::get(base::Time now) {
  const std::unique_lock lock{mutex_, std::try_to_lock};
  if (!lock) return {};
  const auto revision = changes_.load();
  if (!newest_ || revision != revision_ || now - made_ >= kMaxSharedStateAge) {
    newest_ = server_sent_event("state", make_(now));
    made_ = now;
    revision_ = revision;
  }
  return newest_;
}

}  // namespace app
