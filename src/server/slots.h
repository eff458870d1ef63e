#pragma once

#include <mutex>
#include <utility>
#include <variant>
#include <vector>

#include "server/address_counts.h"

namespace server {

/// Limits the number of connections or the like, in all and by address (AddressCounts).
/// Thread-safe. Must outlive its slots.
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
      : in_all_{in_all}, counts_{in_all, per_address, std::move(proxies)} {}

  /// Returns a slot, or which limit is reached.
  std::variant<Slot, Full> take(const Address& address) {
    std::lock_guard lock{mutex_};
    if (taken_ >= in_all_) return Full::kInAll;
    if (counts_.full(address)) return Full::kFromAddress;
    counts_.add(address);
    ++taken_;
    return Slot{this, address};
  }

  int taken() const {
    std::lock_guard lock{mutex_};
    return taken_;
  }

 private:
  void give_back(const Address& owner) {
    std::lock_guard lock{mutex_};
    --taken_;
    counts_.remove(owner);
  }

  const int in_all_;
  mutable std::mutex mutex_;
  int taken_ = 0;         // GUARDED_BY(mutex_)
  AddressCounts counts_;  // GUARDED_BY(mutex_)
};

}  // namespace server
