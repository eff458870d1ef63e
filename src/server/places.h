#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "base/units.h"
#include "server/address_counts.h"

namespace server {

/// The places of viewers, limited in all and by address. Thread-safe. Must outlive its places.
///
/// Viewers earn their place by taking media. If none is free, a newcomer gets that of a viewer who
/// has not earned it (evicts them): of one past kFirstTime, who has taken least; or else of one
/// whose address has at least two more such places than the newcomer's. So claims without media
/// cannot fill a server, and the addresses share what is not earned.
class Places {
 public:
  enum class Full { kInAll, kFromAddress };
  static constexpr std::size_t kFullCount = 2;

  /// How long a place stays earned without media. Shorter, a viewer loses it because of a pause of
  /// their link, or because their player loads ahead; longer, those who have gone silently keep it
  /// longer. As long as server.stall_timeout by default.
  static constexpr base::Duration kEarnedFor = std::chrono::seconds{10};
  /// Time for a first picture: the next keyframe, by default within 2 s, has to come. Longer, a
  /// flood of claims holds the places longer.
  static constexpr base::Duration kFirstTime = std::chrono::seconds{3};

  struct Settings {
    int in_all = 0;
    int per_address = 0;
    /// Media at this rate keep a place earned. A viewer who takes less has it part of the time.
    base::BitRate rate;
    std::vector<Network> proxies;
  };

 private:
  struct Claim {
    Claim(const Address& a, base::Time now, base::Duration earned_for)
        : address{a}, since{now}, lasts{earned_for}, earned_until{now} {}

    const Address address;
    const base::Time since;
    const base::Duration lasts;
    std::atomic<base::Time> earned_until;
    std::atomic<std::int64_t> taken{0};  ///< bytes of media
    std::atomic<bool> lost{false};
    std::size_t index = 0;  ///< in claims_; GUARDED_BY(mutex_)
    bool held = true;       ///< is in claims_; GUARDED_BY(mutex_)

    bool earned(base::Time now) const { return now < earned_until.load(); }
  };
  using ClaimPtr = std::shared_ptr<Claim>;

 public:
  /// One viewer's place. Its destructor frees it. Used by one thread at a time.
  class Place {
   public:
    Place() = default;
    Place(Place&& o) noexcept : places_{o.places_}, claim_{std::move(o.claim_)} {}
    Place& operator=(Place&& o) noexcept {
      std::swap(places_, o.places_);
      std::swap(claim_, o.claim_);
      return *this;
    }
    ~Place() {
      if (claim_) places_->give_back(*claim_);
    }

    /// Another viewer has it now: its viewer has to leave.
    bool lost() const { return claim_ && claim_->lost; }
    /// The viewer has acknowledged `media`, since the last call.
    void took(base::ByteCount media, base::Time now);
    /// Whether the place stays earned for half of its time, so that took() may wait.
    bool is_safe(base::Time now) const {
      return !claim_ || claim_->earned(now + claim_->lasts / 2);
    }

   private:
    friend class Places;
    Place(Places* places, ClaimPtr claim) : places_{places}, claim_{std::move(claim)} {}
    Places* places_ = nullptr;
    ClaimPtr claim_;
  };

  struct Count {
    std::uint64_t times = 0;
    Address last;
  };
  /// Totals since the start, by the limit that was reached.
  struct State {
    std::array<Count, kFullCount> refused;
    std::array<Count, kFullCount> evicted;
  };

  explicit Places(Settings settings)
      : in_all_{settings.in_all},
        rate_{settings.rate},
        counts_{settings.in_all, settings.per_address, std::move(settings.proxies)} {}

  /// Returns a place, or which limit is reached. `earned_for`: how long it stays earned without
  /// media.
  std::variant<Place, Full> take(const Address& address, base::Time now,
                                 base::Duration earned_for = kEarnedFor);
  int taken() const {
    std::lock_guard lock{mutex_};
    return static_cast<int>(claims_.size());
  }
  State state() const {
    std::lock_guard lock{mutex_};
    return state_;
  }

 private:
  /// A claim that is not earned.
  struct Candidate {
    ClaimPtr claim;
    const int* of_address;  ///< claims of its address that are not earned
    int at_look;            ///< that number at the last look()
    std::int64_t taken;     ///< bytes, at the last look()
  };

  ClaimPtr victim_in(const AddressBlock& block, base::Time now);
  ClaimPtr victim(const Address& newcomer, base::Time now);
  void look(base::Time now);
  static bool goes_later(const Candidate& a, const Candidate& b);
  static bool is_of_fewer(const Candidate& a, const Candidate& b);
  int& unearned(const Address& address);
  void evict(const ClaimPtr& claim, Full full);
  void remove(Claim& claim);
  void give_back(Claim& claim);

  const int in_all_;
  const base::BitRate rate_;
  mutable std::mutex mutex_;  // guards all members below
  AddressCounts counts_;
  std::vector<ClaimPtr> claims_;
  State state_;
  // Seen by look():
  std::optional<base::Time> looked_;
  std::map<AddressBlock, int> unearned_;  ///< claims by the largest block of their address
  int unearned_of_proxy_ = 0;
  std::vector<Candidate> settled_;       ///< past their first time; a heap by goes_later()
  std::vector<Candidate> fresh_;         ///< in their first time; a heap by is_of_fewer()
  std::set<AddressBlock> without_room_;  ///< blocks that have nobody to evict
};

const char* name(Places::Full full);  ///< as in log and metrics

}  // namespace server
