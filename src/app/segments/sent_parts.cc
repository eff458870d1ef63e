#include "app/segments/sent_parts.h"

#include <algorithm>
#include <utility>

namespace app {

void SentParts::on_request(base::Time now) {
  requested_ = now;
  begins_response_ = true;
}

/// A player loads old parts to fill its buffer, without hurry, and does not wait for parts that are
/// queued behind them. Neither count for lateness.
void SentParts::add(const Part& part, std::uint64_t sent) {
  if (parts_.size() >= kMaxUnackedParts) parts_.pop_front();
  const auto before = std::max(sent, parts_.empty() ? 0 : parts_.back().end);
  const bool behind_old = !parts_.empty() && !parts_.back().latency_critical;
  parts_.push_back({.end = before + part.size,
                    .latency_critical = part.latency_critical && !behind_old,
                    .acknowledged = {.captured = part.captured,
                                     .duration = part.duration,
                                     .video = part.video,
                                     .awaited = awaited(part.captured)}});
}

/// The player waits for the first part of each response, and for those that are made after its
/// request. The clock starts when a part is both captured and requested: a player that asks for a
/// part late did not want it sooner. A part that was there already and queues behind another one of
/// its response takes the time of the transfer, which depends on how much the player loads at once;
/// so it does not count, nor do those behind it.
std::optional<base::Time> SentParts::awaited(base::Time captured) {
  const bool first = std::exchange(begins_response_, false);
  const bool behind_uncounted = !parts_.empty() && !parts_.back().acknowledged.awaited;
  if (!first && (captured <= requested_ || behind_uncounted)) return {};
  return std::max(captured, requested_);
}

bool SentParts::has_video() const {
  return std::ranges::any_of(parts_, [](const auto& part) { return part.acknowledged.video; });
}

base::Duration SentParts::late(base::Time now) const {
  const auto oldest = std::ranges::find(parts_, true, &SentPart::latency_critical);
  return oldest == parts_.end() ? base::Duration{} : now - oldest->acknowledged.captured;
}

}  // namespace app
