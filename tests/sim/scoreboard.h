#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "base/units.h"
#include "delivery_rate.h"
#include "packet.h"
#include "round_trip.h"

namespace sim {

/// The segments that are sent and not acknowledged: RFC 6675's scoreboard, with losses found by
/// time (RACK: RFC 8985, section 6). Segments are in flight unless acknowledged, SACKed or lost.
class Scoreboard {
 public:
  struct Sent {
    Range bytes;
    bool push = false;  ///< the last segment of a write
    base::Time at{};    ///< last transmission
    bool sacked = false;
    bool lost = false;   ///< and not retransmitted yet
    bool again = false;  ///< retransmitted
    DeliveryRate::Snapshot snapshot;
  };
  /// The effect of an ACK.
  struct AckEffect {
    std::int64_t in_flight_before = 0;  ///< segments
    std::int64_t acked = 0;             ///< segments newly delivered
    base::ByteCount bytes;
    // The newly delivered segment that was sent last; zero if its RTT is ambiguous.
    base::Time sent{};
    Offset end = 0;
    base::Duration rtt{};
    DeliveryRate::Snapshot snapshot;
  };

  /// Adds a new segment, which is sent right away.
  Sent& add(const Range& bytes, bool push);
  /// Takes the first lost segment, which is retransmitted right away. REQUIRES: lost() > 0.
  Sent& take_lost();
  void note_sent(Sent& segment, base::Time now);

  AckEffect acknowledge(const Ack& ack, base::Time now, base::Duration min_rtt, DeliveryRate& rate);
  /// Returns the number of segments newly found lost. `recovering`: does not wait for reordering.
  std::int64_t find_losses(base::Time now, const RoundTrip& round_trip, bool recovering);
  /// When find_losses() may find more.
  std::optional<base::Time> timer() const { return reorder_at_; }
  void lose_all();
  void lose_last();

  bool empty() const { return sent_.empty(); }
  std::size_t size() const { return sent_.size(); }
  const Sent& first() const { return sent_.front(); }
  std::int64_t lost() const { return lost_; }
  std::int64_t in_flight() const { return in_flight_; }  ///< segments
  base::ByteCount in_flight_bytes() const { return in_flight_bytes_; }

 private:
  void deliver(const Sent& segment, base::Time now, base::Duration min_rtt, AckEffect& effect);
  void lose(Sent& segment);
  void note_gone(const Sent& segment);
  bool sent_before_newest(const Sent& segment) const;

  std::deque<Sent> sent_;    ///< in stream order
  std::int64_t sacked_ = 0;  ///< segments of sent_
  std::int64_t lost_ = 0;    ///< segments of sent_
  std::int64_t in_flight_ = 0;
  base::ByteCount in_flight_bytes_;
  // The delivered segment that was sent last (RACK.xmit_ts and RACK.end_seq).
  base::Time newest_sent_{};
  Offset newest_end_ = 0;
  std::optional<base::Time> reorder_at_;
};

}  // namespace sim
