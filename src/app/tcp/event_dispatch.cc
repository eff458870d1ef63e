#include "app/tcp/event_dispatch.h"

#include <utility>

namespace app {

class EventDispatch::Source final : public server::LoopSource {
 public:
  Source(EventDispatch& dispatch, int loop) : dispatch_{dispatch}, loop_{loop} {}

  const char* name() const override { return "congestion_events"; }
  int fd() const override { return dispatch_.programs_->fd(loop_); }
  void on_readable(base::Time now) override { dispatch_.deliver(loop_, now); }

 private:
  EventDispatch& dispatch_;
  const int loop_;
};

EventDispatch::EventDispatch(std::unique_ptr<tcpinfo::EventPrograms> programs, int loops)
    : programs_{std::move(programs)}, listeners_(static_cast<std::size_t>(loops)) {}

std::unique_ptr<EventDispatch::Watch> EventDispatch::watch(int fd, std::uint64_t session, int loop,
                                                           Listener listener) {
  if (!programs_ || !programs_->watch(fd, session, loop)) return nullptr;
  listeners(loop)[session] = std::move(listener);
  return std::make_unique<Watch>(*this, fd, loop, session);
}

std::unique_ptr<server::LoopSource> EventDispatch::loop_source(int loop) {
  return programs_ ? std::make_unique<Source>(*this, loop) : nullptr;
}

std::uint64_t EventDispatch::lost() const {
  std::uint64_t lost = 0;
  if (!programs_) return lost;
  for (std::size_t i = 0; i < listeners_.size(); ++i) lost += programs_->lost(static_cast<int>(i));
  return lost;
}

void EventDispatch::deliver(int loop, base::Time now) {
  programs_->read(loop, [&](std::uint64_t session, const tcpinfo::CongestionEvent& event) {
    // The viewer may have left in the meantime.
    const auto found = listeners(loop).find(session);
    if (found != listeners(loop).end()) found->second(event, now);
  });
}

}  // namespace app
