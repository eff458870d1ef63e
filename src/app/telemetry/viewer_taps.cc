#include "app/telemetry/viewer_taps.h"

#include "app/telemetry/server_sent_event.h"

namespace app {

namespace {

server::SharedBytes event(const trace_line::Line& line) {
  return server_sent_event(line.event, line.text);
}

}  // namespace

ViewerTap::ViewerTap(const trace_line::Line& join, std::atomic<std::uint64_t>& dropped)
    : join_{event(join)}, dropped_{dropped} {}

void ViewerTap::put(const trace_line::Line& line) {
  const auto bytes = event(line);
  std::lock_guard lock{mutex_};
  for (const auto& queue : queues_) {
    if (!queue->push(bytes)) ++dropped_;
  }
}

void ViewerTap::end() {
  std::lock_guard lock{mutex_};
  ended_ = true;
  for (const auto& queue : queues_) queue->close();
}

std::shared_ptr<ViewerTap::Queue> ViewerTap::add() {
  auto queue = std::make_shared<Queue>(kMaxLinesPerWatcher);
  queue->push(join_);
  std::lock_guard lock{mutex_};
  if (ended_) queue->close();
  queues_.push_back(queue);
  ++watchers_;
  return queue;
}

void ViewerTap::remove(const std::shared_ptr<Queue>& queue) {
  std::lock_guard lock{mutex_};
  std::erase(queues_, queue);
  --watchers_;
}

std::shared_ptr<ViewerTap> ViewerTaps::add(server::ViewerId viewer, const trace_line::Line& join) {
  auto tap = std::make_shared<ViewerTap>(join, dropped_);
  std::lock_guard lock{mutex_};
  taps_.insert_or_assign(viewer, tap);
  return tap;
}

void ViewerTaps::remove(server::ViewerId viewer) {
  std::lock_guard lock{mutex_};
  taps_.erase(viewer);
}

std::optional<ViewerWatch> ViewerTaps::watch(server::ViewerId viewer) const {
  std::shared_ptr<ViewerTap> tap;
  {
    std::lock_guard lock{mutex_};
    const auto found = taps_.find(viewer);
    if (found == taps_.end()) return {};
    tap = found->second;
  }
  return ViewerWatch{std::move(tap)};
}

}  // namespace app
