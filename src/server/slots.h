#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <utility>
#include <variant>
#include <vector>

#include "server/address.h"

namespace server {

/// Limits the number of connections or viewers, in all and per address (per /64 for IPv6), except
/// that addresses of proxies, which stand for many clients, are limited in all only. Thread-safe.
/// Must outlive its slots.
class Slots {
 public:
  enum class Full { kInAll, kFromAddress };

  /// One counted place. Its destructor frees it.
  class Slot {
   public:
    Slot() = default;
    Slot(Slot&& o) noexcept : slots_{std::exchange(o.slots_, nullptr)}, owner_{o.owner_} {}
    Slot& operator=(Slot&& o) noexcept {
      std::swap(slots_, o.slots_);
      std::swap(owner_, o.owner_);
      return *this;
    }
    ~Slot() {
      if (slots_) slots_->give_back(owner_);
    }

   private:
    friend class Slots;
    Slot(Slots* slots, const Address& owner) : slots_{slots}, owner_{owner} {}
    Slots* slots_ = nullptr;
    Address owner_;
  };

  Slots(int in_all, int per_address, std::vector<Network> proxies = {})
      : in_all_{in_all}, per_address_{per_address}, proxies_{std::move(proxies)} {}

  /// Returns a slot, or which limit is reached.
  std::variant<Slot, Full> take(const Address& address) {
    std::lock_guard lock{mutex_};
    if (taken_ >= in_all_) return Full::kInAll;
    const Address owner = address.owner();
    const auto entry = by_owner_.try_emplace(owner, 0).first;
    if (entry->second >= per_address_ && !server::contains(proxies_, address)) {
      if (entry->second == 0) by_owner_.erase(entry);
      return Full::kFromAddress;
    }
    ++entry->second;
    ++taken_;
    return Slot{this, owner};
  }

  int taken() const {
    std::lock_guard lock{mutex_};
    return taken_;
  }

 private:
  void give_back(const Address& owner) {
    std::lock_guard lock{mutex_};
    --taken_;
    const auto entry = by_owner_.find(owner);
    if (--entry->second == 0) by_owner_.erase(entry);
  }

  const int in_all_;
  const int per_address_;
  const std::vector<Network> proxies_;
  mutable std::mutex mutex_;
  int taken_ = 0;                    // GUARDED_BY(mutex_)
  std::map<Address, int> by_owner_;  // GUARDED_BY(mutex_)
};

}  // namespace server
