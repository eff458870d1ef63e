#include "server/address_counts.h"

#include <algorithm>
#include <array>

namespace server {

namespace {

/// The size of an IPv6 network, and how many times the limit of an address it may have.
struct Size {
  int bits;
  int times;
};
constexpr std::array kSizes{Size{64, 1}, Size{56, 2}, Size{48, 4}};

template <typename Fn>
void for_each_block(const Address& address, Fn fn) {
  for (const auto& [bits, times] : kSizes) {
    fn(AddressBlock::of(address, bits), times);
    if (address.is_ipv4()) return;
  }
}

}  // namespace

std::optional<AddressBlock> AddressCounts::full(const Address& address) const {
  if (is_proxy(address)) return {};
  std::optional<AddressBlock> result;
  for_each_block(address, [&](const AddressBlock& block, int times) {
    const auto count = counts_.find(block);
    if (result || count == counts_.end() || count->second < limit(times)) return;
    result = block;
  });
  return result;
}

void AddressCounts::change(const Address& address, int by) {
  for_each_block(address, [&](const AddressBlock& block, int) {
    const auto count = counts_.try_emplace(block, 0).first;
    count->second += by;
    if (count->second == 0) counts_.erase(count);
  });
}

int AddressCounts::limit(int times) const {
  return std::max(per_address_, std::min(times * per_address_, in_all_ / 2));
}

}  // namespace server
