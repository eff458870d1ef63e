#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/units.h"
#include "server/address_counts.h"

namespace app {

/// Decides which segment is encoded next, and which ones are not, within a budget of CPU time. The
/// player whose address had the least CPU time lately comes first; of one address, the player who
/// had the least; of equals, the first to ask. No I/O, no clock. Not thread-safe.
class EncodeTurns {
 public:
  using Id = std::uint64_t;

  struct Asker {
    server::AddressBlock address;
    std::uint64_t session = 0;
  };
  struct Verdict {
    bool accepted = false;
    std::optional<Id> displaced;  ///< another one, which has lost its place in the queue
  };

  /// Shorter than players wait for a segment, which is usually its duration and a buffer of two.
  /// With a longer time a player gets what it asked for more often, but late.
  static constexpr base::Duration kMaxWait = std::chrono::seconds{4};
  /// A player's request is renewed at each frame of its stream. A longer time encodes for players
  /// that have left.
  static constexpr base::Duration kAbandonedAfter = std::chrono::seconds{2};
  /// Bounds the work to find the next one. Most wait no longer than kMaxWait anyway.
  static constexpr std::size_t kMaxWaiting = 64;
  /// CPU time saved up while there is nothing to encode. More allows longer bursts.
  static constexpr base::Duration kMaxCredit = std::chrono::seconds{2};

  /// `cpus`: CPUs that it may use on average; more than 0.
  EncodeTurns(double cpus, base::Time now) : cpus_{cpus}, credit_{kMaxCredit}, credited_{now} {}

  /// Asks for a turn. REQUIRES: `id` is larger than those before.
  Verdict ask(Id id, const Asker& asker, base::Time now);
  /// The player still waits. Returns false if it has waited for kMaxWait: the place is lost.
  bool renew(Id id, base::Time now);
  /// Returns those that nobody waits for any more, which have lost their place.
  std::vector<Id> take_abandoned(base::Time now);
  /// Returns the one to encode now, nullopt if there is none or no CPU time. Call finish() before
  /// the next call.
  std::optional<Id> take(base::Time now);
  void finish(base::Duration cpu, base::Time now);
  bool empty() const { return waiting_.empty(); }
  /// Addresses and players whose CPU time is remembered.
  std::size_t remembered() const { return by_address_.size() + by_session_.size(); }
  /// How long take() has to wait for CPU time.
  base::Duration until_credit(base::Time now);

 private:
  /// CPU time that halves every kHalfLife.
  struct Used {
    double seconds = 0;
    base::Time at{};
    double value(base::Time now) const;
    void add(base::Duration amount, base::Time now);
  };
  struct Turn {
    Asker asker;
    base::Time asked{};
    base::Time renewed{};
  };
  /// A player, or all of an address.
  struct Claim {
    std::size_t waiting = 0;
    double used = 0;  ///< CPU seconds
  };
  struct Claims {
    std::map<server::AddressBlock, Claim> of_address;
    std::map<std::uint64_t, Claim> of_session;
  };

  void earn(base::Time now);
  void charge(const Asker& asker, base::Duration amount, base::Time now);
  double used(const Asker& asker, base::Time now) const;
  double used_by_session(const Asker& asker, base::Time now) const;
  Claims claims(base::Time now) const;
  double turns_before(double used, const Claim& other) const;
  double ahead(const Asker& asker, const Claims& claims, base::Time now) const;
  std::optional<Id> displace(const Asker& asker, const Claims& claims, base::Time now);

  const double cpus_;
  base::Duration credit_;               ///< negative if overdrawn
  base::Time credited_;                 ///< when `credit_` was last raised
  base::Duration cost_ = kInitialCost;  ///< CPU time expected for the next segment
  std::map<Id, Turn> waiting_;          ///< by the order in which they asked
  std::optional<Turn> encoding_;
  base::Duration reserved_{};  ///< charged for it in advance
  std::map<server::AddressBlock, Used> by_address_;
  std::map<std::uint64_t, Used> by_session_;

  // That of 2 s at 720p.
  static constexpr base::Duration kInitialCost = std::chrono::milliseconds{500};
};

}  // namespace app
