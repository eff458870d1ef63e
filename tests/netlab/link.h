#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <vector>

#include "base/units.h"

namespace netlab {

/// What one direction of a path does to packets. Rates and sizes are of whole IP packets.
struct LinkSettings {
  base::BitRate rate{};            ///< 0: no limit
  base::Duration delay{};          ///< one way, after transmission
  base::Duration jitter{};         ///< added to the delay, uniform in [0, jitter], order kept
  base::ByteCount queue{1 << 20};  ///< drop-tail, the packet being transmitted included
  double loss = 0;                 ///< probability for each packet on its own
  double burst_enter = 0;          ///< Gilbert: probability of a burst beginning at a packet
  double burst_leave = 1;          ///< of it ending; its mean length is 1/burst_leave packets
  bool blackhole = false;          ///< what leaves the queue is lost
};

struct LinkCounters {
  std::uint64_t packets_in = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t packets_out = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t dropped_queue = 0;  ///< queue full
  std::uint64_t dropped_loss = 0;
  std::uint64_t dropped_burst = 0;
  std::uint64_t dropped_blackhole = 0;
  base::ByteCount queue_high_water;
};

/// One direction of a path. Pure: no clock, no I/O; `now` never goes back. Transmission is computed
/// in virtual time, so a late caller delays single packets but never changes the rate.
///
///   enqueue -> [ drop-tail queue ] -> transmitter (rate) -> wire (loss, delay, jitter) -> dequeue
class Link {
 public:
  using Packet = std::vector<std::uint8_t>;

  Link(const LinkSettings& settings, std::uint64_t seed);

  /// From `now` on; a packet half transmitted is finished at the new rate.
  void set(const LinkSettings& settings, base::Time now);
  const LinkSettings& settings() const { return settings_; }

  void enqueue(Packet packet, base::Time now);
  /// The oldest packet that has arrived at the far end.
  std::optional<Packet> dequeue(base::Time now);
  /// No packet arrives before this; empty: none is on the way.
  std::optional<base::Time> next_arrival() const;

  const LinkCounters& counters() const { return counters_; }
  base::ByteCount queued() const { return queued_; }

 private:
  struct InFlight {
    base::Time arrival;
    Packet packet;
  };

  base::Time head_finish() const;
  void transmit_until(base::Time now);
  void propagate(Packet packet, base::Time sent);
  std::uint64_t* cause_of_loss();
  bool chance(double probability);

  LinkSettings settings_;
  std::mt19937_64 random_;
  LinkCounters counters_;
  bool in_burst_ = false;
  std::deque<Packet> waiting_;  // front: being transmitted
  base::ByteCount queued_;
  base::Time transmitter_clock_{};  // up to when transmission has been accounted
  std::int64_t head_work_ = 0;      // left of the front packet, in bits * 1e9: exact for any rate
  std::deque<InFlight> wire_;
  base::Time last_arrival_{};
};

}  // namespace netlab
