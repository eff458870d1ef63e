#include "tcp_receiver.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace sim {

std::optional<Ack> TcpReceiver::receive(const Segment& segment, base::Time now) {
  const bool in_order = beyond_.empty() && segment.bytes.begin == cumulative_;
  store(segment.bytes);
  ++waiting_;
  if (!in_order || waiting_ >= 2 || (eager_ && segment.push) || quick_ > 0) {
    quick_ = std::max(0, quick_ - 1);
    return acknowledge();
  }
  timer_ = now + kDelayedAckTime;
  return std::nullopt;
}

void TcpReceiver::store(const Range& bytes) {
  if (bytes.begin > cumulative_) return store_beyond(bytes);
  cumulative_ = std::max(cumulative_, bytes.end);
  while (!beyond_.empty() && beyond_.begin()->first <= cumulative_) {
    cumulative_ = std::max(cumulative_, beyond_.begin()->second);
    beyond_.erase(beyond_.begin());
  }
}

void TcpReceiver::store_beyond(Range bytes) {
  auto next = beyond_.lower_bound(bytes.begin);
  if (next != beyond_.begin() && std::prev(next)->second >= bytes.begin) next = std::prev(next);
  while (next != beyond_.end() && next->first <= bytes.end) {
    bytes = {std::min(bytes.begin, next->first), std::max(bytes.end, next->second)};
    next = beyond_.erase(next);
  }
  beyond_.emplace(bytes.begin, bytes.end);
  std::erase_if(newest_, [&](Offset at) { return at >= bytes.begin && at < bytes.end; });
  newest_.insert(newest_.begin(), bytes.begin);
  newest_.resize(std::min(newest_.size(), std::tuple_size_v<decltype(Ack::blocks)>));
}

Ack TcpReceiver::acknowledge() {
  timer_.reset();
  waiting_ = 0;
  Ack ack{flow_, cumulative_, {}};
  std::erase_if(newest_, [&](Offset at) { return at < cumulative_; });
  for (std::size_t i = 0; i < newest_.size(); ++i) {
    const auto [begin, end] = *std::prev(beyond_.upper_bound(newest_[i]));
    ack.blocks[i] = {begin, end};
  }
  return ack;
}

}  // namespace sim
