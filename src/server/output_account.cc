#include "server/output_account.h"

#include <algorithm>
#include <limits>

namespace server {

void OutputAccount::Share::set(base::ByteCount held) {
  if (account_ == nullptr) return;
  const auto more = held.bytes() - held_;
  if (more == 0) return;
  held_ = held.bytes();
  account_->held_ += more;
  if (of_block_) *of_block_ += more;
}

base::ByteCount OutputAccount::Share::room() const {
  const bool crowded =
      account_ != nullptr && (account_->held_ >= account_->limit_ ||
                              (of_block_ && *of_block_ >= account_->limit_ / kParts));
  if (!crowded) return base::ByteCount{std::numeric_limits<std::int64_t>::max()};
  return std::max(kLeast - base::ByteCount{held_}, base::ByteCount{});
}

OutputAccount::Share OutputAccount::open(const Address& address) {
  if (contains(proxies_, address)) return Share{this, nullptr};
  std::lock_guard lock{mutex_};
  auto& known = of_block_[AddressBlock::largest(address)];
  auto sum = known.lock();
  if (!sum) known = sum = std::make_shared<std::atomic<std::int64_t>>(0);
  if (of_block_.size() > sweep_at_) {
    std::erase_if(of_block_, [](const auto& entry) { return entry.second.expired(); });
    sweep_at_ = std::max<std::size_t>(64, 2 * of_block_.size());
  }
  return Share{this, std::move(sum)};
}

}  // namespace server
