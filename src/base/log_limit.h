#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/units.h"

namespace base {

/// Limits the lines of each kind in the log, in all and for each client's address. Without the
/// first, clients that keep reconnecting could fill the disk; without the second, one of them
/// could take the lines of all others. Not thread-safe; no clock.
class LogLimit {
 public:
  /// `burst` lines at once, and `per_second` for long.
  struct Limit {
    double burst;
    double per_second;
  };
  // The viewers of a small event join at once. A larger burst costs more of the disk each time, a
  // smaller one hides who joined. 10 per second are 0.9 million lines a day, 150 MB: a higher rate
  // fills the disk sooner.
  static constexpr Limit kInAll{.burst = 1000, .per_second = 10};
  // The viewers of an office join at once, and share an address. More leaves less for the others.
  static constexpr Limit kOfAddress{.burst = 100, .per_second = 0.1};

  struct Verdict {
    bool write = true;
    std::uint64_t left_out = 0;  ///< lines of this kind left out since the last one written
  };

  /// `address`: of the client that the line is about; empty if it is about none.
  Verdict admit(std::string_view kind, std::string_view address, Time now) {
    auto& known = find(kinds_, kind, kInAll, now);
    known.forget_idle(now);
    auto* of_address = address.empty() ? nullptr : &find(known.addresses, address, kOfAddress, now);
    const bool full = known.update(kInAll, now) < 1;
    if (full || (of_address != nullptr && of_address->update(kOfAddress, now) < 1)) {
      ++known.left_out;
      return {.write = false};
    }
    --known.tokens;
    if (of_address != nullptr) --of_address->tokens;
    return {.write = true, .left_out = std::exchange(known.left_out, 0)};
  }

 private:
  // Addresses that have all their lines again need not be known. More often is only work.
  static constexpr Duration kForgetInterval = std::chrono::seconds{10};

  struct Bucket {
    double tokens = 0;
    Time updated{};

    double at(Time now, const Limit& limit) const {
      return std::min(limit.burst, tokens + limit.per_second * seconds(now - updated));
    }
    double update(const Limit& limit, Time now) {
      tokens = at(now, limit);
      updated = now;
      return tokens;
    }
  };
  using Addresses = std::map<std::string, Bucket, std::less<>>;
  struct Kind : Bucket {
    Addresses addresses{};
    std::uint64_t left_out = 0;
    Time forgot{};

    void forget_idle(Time now) {
      if (now - forgot < kForgetInterval) return;
      forgot = now;
      std::erase_if(addresses, [&](const auto& entry) {
        return entry.second.at(now, kOfAddress) >= kOfAddress.burst;
      });
    }
  };

  template <typename Value>
  static Value& find(std::map<std::string, Value, std::less<>>& map, std::string_view key,
                     const Limit& limit, Time now) {
    auto found = map.find(key);
    if (found == map.end()) {
      found = map.try_emplace(std::string{key}).first;
      found->second.tokens = limit.burst;
      found->second.updated = now;
    }
    return found->second;
  }

  std::map<std::string, Kind, std::less<>> kinds_;
};

}  // namespace base
