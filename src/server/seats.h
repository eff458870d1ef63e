#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <utility>
#include <variant>

#include "server/address.h"

namespace server {

/// A limit on how many there may be at once, in all and from one address, or one /64 of IPv6.
/// Thread-safe; must outlive the seats it gave.
class Seats {
 public:
  enum class Full { kInAll, kFromAddress };

  /// The right to be here; given back when destroyed.
  class Seat {
   public:
    Seat() = default;
    Seat(Seat&& o) noexcept : seats_{std::exchange(o.seats_, nullptr)}, owner_{o.owner_} {}
    Seat& operator=(Seat&& o) noexcept {
      std::swap(seats_, o.seats_);
      std::swap(owner_, o.owner_);
      return *this;
    }
    ~Seat() {
      if (seats_) seats_->give_back(owner_);
    }

   private:
    friend class Seats;
    Seat(Seats* seats, const Address& owner) : seats_{seats}, owner_{owner} {}
    Seats* seats_ = nullptr;
    Address owner_;
  };

  Seats(int in_all, int per_address) : in_all_{in_all}, per_address_{per_address} {}

  std::variant<Seat, Full> take(const Address& address) {
    std::lock_guard lock{mutex_};
    if (taken_ >= in_all_) return Full::kInAll;
    const Address owner = address.owner();
    const auto entry = by_owner_.try_emplace(owner, 0).first;
    if (entry->second >= per_address_) {
      if (entry->second == 0) by_owner_.erase(entry);
      return Full::kFromAddress;
    }
    ++entry->second;
    ++taken_;
    return Seat{this, owner};
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
  mutable std::mutex mutex_;
  int taken_ = 0;                    // GUARDED_BY(mutex_)
  std::map<Address, int> by_owner_;  // GUARDED_BY(mutex_)
};

}  // namespace server
