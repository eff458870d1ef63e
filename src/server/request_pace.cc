#include "server/request_pace.h"

#include <algorithm>

namespace server {

namespace {

// The time in which a bucket fills up. More often is only work.
constexpr base::Duration kForgetInterval = std::chrono::seconds{1};

}  // namespace

double RequestPace::tokens(const Bucket& bucket, base::Time now) const {
  const auto passed = std::max(now - bucket.updated, base::Duration{});  // `now` may be a bit old
  return std::min(kBurst, bucket.tokens + per_second_ * base::seconds(passed));
}

bool RequestPace::take(const Address& address, base::Time now) {
  if (!proxies_.empty() && contains(proxies_, address)) return true;
  auto& bucket =
      buckets_.try_emplace(AddressBlock::largest(address), Bucket{.updated = now}).first->second;
  bucket.tokens = tokens(bucket, now);
  bucket.updated = now;
  if (bucket.tokens < 1) return false;
  --bucket.tokens;
  return true;
}

void RequestPace::forget_idle(base::Time now) {
  if (now - forgotten_ < kForgetInterval) return;
  forgotten_ = now;
  std::erase_if(buckets_, [&](const auto& entry) { return tokens(entry.second, now) >= kBurst; });
}

}  // namespace server
