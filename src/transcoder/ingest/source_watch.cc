#include "transcoder/ingest/source_watch.h"

#include <algorithm>
#include <utility>

namespace transcoder {

SourceWatch::SourceWatch(std::shared_ptr<IngestOutput> output, base::Time now,
                         std::function<void()> wake)
    : output_{std::move(output)}, wake_{std::move(wake)} {
  state_.alive = now;
}

void SourceWatch::on_picture(media::Frame picture) {
  {
    std::lock_guard lock{mutex_};
    if (!wake_) return;
  }
  output_->picture(std::move(picture));
  std::lock_guard lock{mutex_};
  if (wake_ && !std::exchange(state_.has_picture, true)) wake_();
}

void SourceWatch::on_audio(media::Samples samples, base::Time captured) {
  {
    std::lock_guard lock{mutex_};
    if (!wake_) return;
  }
  output_->audio(std::move(samples), captured);
}

void SourceWatch::on_gap(base::Time until) {
  std::lock_guard lock{mutex_};
  state_.alive = std::max(state_.alive, until);
}

void SourceWatch::on_unreadable(std::uint64_t count) {
  std::lock_guard lock{mutex_};
  if (wake_) output_->unreadable(count);
}

void SourceWatch::on_dropped(std::uint64_t count) {
  std::lock_guard lock{mutex_};
  if (wake_) output_->dropped(count);
}

void SourceWatch::on_end(SourceEnd end) {
  std::lock_guard lock{mutex_};
  if (!wake_) return;
  state_.end = std::move(end);
  wake_();
}

void SourceWatch::retire() {
  std::lock_guard lock{mutex_};
  wake_ = nullptr;
}

SourceWatch::State SourceWatch::state() const {
  std::lock_guard lock{mutex_};
  return state_;
}

}  // namespace transcoder
