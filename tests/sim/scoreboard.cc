#include "scoreboard.h"

#include <algorithm>
#include <tuple>

namespace sim {

namespace {
constexpr std::int64_t kDuplicateThreshold = 3;  // RFC 6675
}

Scoreboard::Sent& Scoreboard::add(const Range& bytes, bool push) {
  sent_.push_back({.bytes = bytes, .push = push});
  return sent_.back();
}

Scoreboard::Sent& Scoreboard::take_lost() {
  auto& segment = *std::ranges::find(sent_, true, &Sent::lost);
  segment.lost = false;
  segment.again = true;
  --lost_;
  return segment;
}

void Scoreboard::note_sent(Sent& segment, base::Time now) {
  segment.at = now;
  ++in_flight_;
  in_flight_bytes_ += size_of(segment.bytes);
}

Scoreboard::AckEffect Scoreboard::acknowledge(const Ack& ack, base::Time now,
                                              base::Duration min_rtt, DeliveryRate& rate) {
  AckEffect effect{.in_flight_before = in_flight_};
  const auto take = [&](Sent& segment) {
    if (segment.sacked) return;
    deliver(segment, now, min_rtt, effect);
    rate.on_delivered(now);
    segment.sacked = true;
    segment.lost = false;
    ++sacked_;
  };
  for (const auto& block : ack.blocks) {
    auto it = std::ranges::lower_bound(sent_, block.begin, {},
                                       [](const Sent& sent) { return sent.bytes.begin; });
    for (; it != sent_.end() && it->bytes.end <= block.end; ++it) take(*it);
  }
  for (; !sent_.empty() && sent_.front().bytes.end <= ack.cumulative; sent_.pop_front()) {
    take(sent_.front());
    --sacked_;
  }
  std::tie(newest_sent_, newest_end_) =
      std::max(std::tie(newest_sent_, newest_end_), std::tie(effect.sent, effect.end));
  return effect;
}

void Scoreboard::deliver(const Sent& segment, base::Time now, base::Duration min_rtt,
                         AckEffect& effect) {
  if (segment.lost) {
    --lost_;
  } else {
    note_gone(segment);
  }
  ++effect.acked;
  effect.bytes += size_of(segment.bytes);
  // RFC 8985, 6.2, step 2: the retransmission cannot have arrived yet.
  if (segment.again && now - segment.at < min_rtt) return;
  if (segment.at < effect.sent) return;
  effect.sent = segment.at;
  effect.end = segment.bytes.end;
  // The kernel's clock counts microseconds, so the minimum RTT repeats.
  effect.rtt = std::chrono::floor<std::chrono::microseconds>(now - segment.at);
  effect.snapshot = segment.snapshot;
}

/// RFC 8985, RACK_sent_after()
bool Scoreboard::sent_before_newest(const Sent& segment) const {
  return std::tie(segment.at, segment.bytes.end) < std::tie(newest_sent_, newest_end_);
}

/// RFC 8985, 6.2, step 5: segments sent before a delivered one, and more than a round trip ago, are
/// lost. After three SACKed segments, or in a recovery, there is no time for reordering
/// (tcp_rack_reo_wnd()).
std::int64_t Scoreboard::find_losses(base::Time now, const RoundTrip& round_trip, bool recovering) {
  reorder_at_.reset();
  const bool in_order = recovering || sacked_ >= kDuplicateThreshold;
  const auto reordering =
      in_order ? base::Duration{} : std::min(round_trip.min() / 4, round_trip.smoothed());
  const auto patience = round_trip.newest() + reordering;
  std::int64_t found = 0;
  for (auto& segment : sent_) {
    if (!sent_before_newest(segment)) {
      if (segment.again) continue;
      break;  // the following ones were sent later still
    }
    if (segment.sacked || segment.lost) continue;
    if (now - segment.at >= patience) {
      lose(segment);
      ++found;
    } else {
      reorder_at_ = std::min(reorder_at_.value_or(base::Time::max()), segment.at + patience);
    }
  }
  return found;
}

void Scoreboard::lose_all() {
  for (auto& segment : sent_) {
    if (!segment.sacked && !segment.lost) lose(segment);
  }
}

void Scoreboard::lose_last() {
  if (!sent_.empty() && !sent_.back().sacked && !sent_.back().lost) lose(sent_.back());
}

void Scoreboard::lose(Sent& segment) {
  segment.lost = true;
  ++lost_;
  note_gone(segment);
}

void Scoreboard::note_gone(const Sent& segment) {
  --in_flight_;
  in_flight_bytes_ -= size_of(segment.bytes);
}

}  // namespace sim
