#include "app/telemetry/viewer_taps.h"

namespace app {

namespace {

ViewerLine shared(server::ViewerId viewer, const trace_line::Line& line) {
  return {viewer, std::make_shared<const trace_line::Line>(line)};
}

}  // namespace

ViewerTap::ViewerTap(server::ViewerId viewer, const trace_line::Line& join,
                     std::atomic<std::uint64_t>& dropped)
    : join_{shared(viewer, join)}, dropped_{dropped} {}

void ViewerTap::put(const trace_line::Line& line) {
  const auto one = shared(join_.viewer, line);
  std::lock_guard lock{mutex_};
  for (const auto& watcher : watchers_) {
    if (!watcher->queue.push(one)) ++dropped_;
  }
}

void ViewerTap::end() {
  std::lock_guard lock{mutex_};
  ended_ = true;
  for (const auto& watcher : watchers_) {
    if (watcher->stream.empty()) watcher->queue.close();
  }
}

void ViewerTap::add(std::shared_ptr<WatcherLines> watcher) {
  std::lock_guard lock{mutex_};
  if (!watcher->queue.push(join_)) ++dropped_;
  if (ended_ && watcher->stream.empty()) watcher->queue.close();
  watchers_.push_back(std::move(watcher));
  ++watcher_count_;
}

void ViewerTap::remove(const std::shared_ptr<WatcherLines>& watcher) {
  std::lock_guard lock{mutex_};
  watcher_count_ -= static_cast<int>(std::erase(watchers_, watcher));
}

ViewerWatch::~ViewerWatch() {
  if (lines_) taps_->end(lines_);
}

std::shared_ptr<ViewerTap> ViewerTaps::add(server::ViewerId viewer, const std::string& stream,
                                           const trace_line::Line& join) {
  std::lock_guard lock{mutex_};
  Entry entry{stream, std::make_shared<ViewerTap>(viewer, join, dropped_)};
  auto tap = entry.tap;
  for (const auto& watcher : stream_watchers_) begin(watcher, viewer, entry);
  taps_.insert_or_assign(viewer, std::move(entry));
  return tap;
}

void ViewerTaps::remove(server::ViewerId viewer) {
  std::lock_guard lock{mutex_};
  taps_.erase(viewer);
  for (const auto& watcher : stream_watchers_) watcher->viewers.erase(viewer);
}

std::optional<ViewerWatch> ViewerTaps::watch(server::ViewerId viewer) {
  std::lock_guard lock{mutex_};
  const auto found = taps_.find(viewer);
  if (found == taps_.end()) return {};
  auto watcher = std::make_shared<WatcherLines>(kMaxLinesOfViewer);
  begin(watcher, viewer, found->second);
  return std::make_optional<ViewerWatch>(*this, std::move(watcher));
}

ViewerWatch ViewerTaps::watch_stream(const std::string& stream) {
  std::lock_guard lock{mutex_};
  auto watcher = std::make_shared<WatcherLines>(kMaxLinesOfStream, stream);
  for (const auto& [viewer, entry] : taps_) begin(watcher, viewer, entry);
  stream_watchers_.push_back(watcher);
  return {*this, std::move(watcher)};
}

/// A watcher of a stream takes its viewers only, and as long as there is room.
void ViewerTaps::begin(const std::shared_ptr<WatcherLines>& watcher, server::ViewerId viewer,
                       const Entry& entry) {
  const bool of_stream = !watcher->stream.empty();
  if (of_stream && watcher->stream != entry.stream) return;
  if (of_stream && watcher->viewers.size() >= kMaxViewersOfStream) return;
  watcher->viewers.insert(viewer);
  entry.tap->add(watcher);
}

void ViewerTaps::end(const std::shared_ptr<WatcherLines>& watcher) {
  std::lock_guard lock{mutex_};
  std::erase(stream_watchers_, watcher);
  for (const auto viewer : watcher->viewers) {
    const auto found = taps_.find(viewer);
    if (found != taps_.end()) found->second.tap->remove(watcher);
  }
}

}  // namespace app
