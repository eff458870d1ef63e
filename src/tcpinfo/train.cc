#include "tcpinfo/train.h"

#include <algorithm>
#include <utility>

namespace tcpinfo {

base::ByteCount train_head(base::ByteCount size, std::uint32_t mss) {
  const auto least = std::int64_t{kHeadSegments + kTailSegments} * mss;
  if (mss == 0 || size.bytes() < least) return {};
  return base::ByteCount{std::int64_t{kHeadSegments} * mss};
}

void TrainDispersion::add(const Train& train) {
  if (pending_.size() >= kPending) pending_.erase(pending_.begin());
  pending_.push_back(train);
}

void TrainDispersion::update(const TcpSample& sample) {
  const auto before = std::exchange(retransmits_, sample.total_retransmits);
  if (sample.ca_state != CaState::kOpen) {
    calm_since_.reset();
  } else if (!calm_since_ || before != sample.total_retransmits) {
    calm_since_ = sample.at;
  }
  while (!pending_.empty() && pending_.front().tail_acked <= sample.at) {
    if (calm_since_ && pending_.front().departed >= *calm_since_) accept(pending_.front());
    pending_.erase(pending_.begin());
  }
}

void TrainDispersion::accept(const Train& train) {
  const auto spread = std::max(train.tail_acked - train.head_acked, base::Duration{});
  spacings_[accepted_++ % kMost] = {base::seconds(spread) / static_cast<double>(train.tail.bits()),
                                    train.tail_acked};
}

std::optional<TrainDispersion::Capacity> TrainDispersion::capacity(base::Time now) const {
  std::array<double, kMost> fresh;
  std::size_t count = 0;
  Capacity capacity;
  for (std::size_t i = 0; i < std::min(accepted_, kMost); ++i) {
    if (now - spacings_[i].at > kMaxAge) continue;
    fresh[count++] = spacings_[i].seconds_per_bit;
    capacity.newest = std::max(capacity.newest, spacings_[i].at);
  }
  if (count < kFewest) return std::nullopt;
  const auto middle = fresh.begin() + static_cast<std::ptrdiff_t>(count / 2);
  std::nth_element(fresh.begin(), middle, fresh.begin() + static_cast<std::ptrdiff_t>(count));
  if (*middle <= 0) return std::nullopt;  // most came at once: faster than can be told
  capacity.rate = base::BitRate{static_cast<std::int64_t>(1 / *middle)};
  capacity.trains = count;
  return capacity;
}

}  // namespace tcpinfo
