#include "app/tcp/neighbours.h"

namespace app {

namespace {

constexpr int kIpv6Bits = 64;

base::Address link_of(const base::Address& peer) {
  return peer.is_ipv4() ? peer : peer.prefix(kIpv6Bits);
}

}  // namespace

Neighbours::Place::Place(Neighbours& neighbours, const base::Address& peer)
    : all_{neighbours}, count_{[&] {
        const std::lock_guard lock{neighbours.mutex_};
        const auto count = neighbours.counts_.try_emplace(link_of(peer), 0).first;
        ++count->second;
        return count;
      }()} {}

Neighbours::Place::~Place() {
  const std::lock_guard lock{all_.mutex_};
  if (--count_->second == 0) all_.counts_.erase(count_);
}

}  // namespace app
