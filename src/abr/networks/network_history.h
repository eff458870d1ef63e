#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>

#include "abr/congestion_control.h"
#include "abr/networks/experience.h"
#include "base/address.h"

namespace abr {

/// Remembers how well each congestion control served the viewers of each network (IPv4 /24, IPv6
/// /48), and chooses by that what a new connection begins with. Of a network that it does not know,
/// that is BBR. Now and then one connection tries the control that is not known there, but only in
/// networks whose viewers miss something. No I/O, no clock; one thread.
class NetworkHistory {
 public:
  /// The time of day, because the history survives a restart.
  using Time = std::chrono::sys_seconds;

  /// One congestion control in one network.
  struct Record {
    double seconds = 0;  ///< watched, at most kMemory; halved each kHalfLife
    double quality = 0;  ///< mean per second, as Experience defines it
  };
  struct Entry {
    base::Network network;
    Time updated{};                                         ///< the last add()
    Time trial{};                                           ///< when the last trial began
    std::array<Record, kCongestionControlCount> records{};  ///< by CongestionControl
  };
  enum class Reason : std::uint8_t { kUnknown, kBest, kTrial };
  static constexpr std::size_t kReasonCount = 3;
  struct Start {
    CongestionControl control = CongestionControl::kBbr;
    Reason reason = Reason::kUnknown;
  };

  /// Beyond `capacity` networks, the one without viewers for longest is forgotten.
  explicit NetworkHistory(std::size_t capacity) : capacity_{capacity} {}

  static base::Network network_of(const base::Address& client);

  /// For a connection that will add() what it experiences. It may be a trial.
  Start start(const base::Network& network, Time now);
  /// For one that will not.
  Start best(const base::Network& network, Time now) const;
  void add(const base::Network& network, CongestionControl control, const Experience::Sum& sum,
           Time now);

  /// The same for an entry.
  static Start best_of(const Entry& entry, Time now);

  /// From the one added to last to the one that will be forgotten first.
  const std::list<Entry>& entries() const { return entries_; }
  /// As entries() once returned it. Replaces nothing; beyond the capacity, the rest is left out.
  void restore(const Entry& entry);
  std::size_t forgotten() const { return forgotten_; }

 private:
  Entry& newest(const base::Network& network);

  std::size_t capacity_;
  std::list<Entry> entries_;
  std::map<base::Network, std::list<Entry>::iterator> known_;
  std::size_t forgotten_ = 0;
};

/// As in labels of metrics.
const char* name(NetworkHistory::Reason reason);

}  // namespace abr
