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
/// time (RACK: RFC 8985, section 6). In flight is what is neither acknowledged, sacked nor lost.
class Scoreboard {
 public:
  struct Sent {
    Range bytes;
    bool push = false;  ///< the last of a write
    base::Time at{};    ///< the last time
    bool sacked = false;
    bool lost = false;   ///< and not sent again
    bool again = false;  ///< sent more than once
    DeliveryRate::Snapshot snapshot;
  };
  /// What an acknowledgement delivers.
  struct News {
    std::int64_t in_flight_before = 0;  ///< segments
    std::int64_t acked = 0;             ///< likewise
    base::ByteCount bytes;
    // Of them, what was sent last; zero: none tells.
    base::Time sent{};
    Offset end = 0;
    base::Duration rtt{};
    DeliveryRate::Snapshot snapshot;
  };

  /// A new segment, to be sent right now.
  Sent& add(const Range& bytes, bool push);
  /// The first that is lost, to be sent again right now; one is.
  Sent& take_lost();
  void note_sent(Sent& segment, base::Time now);

  News acknowledge(const Ack& ack, base::Time now, base::Duration min_rtt, DeliveryRate& rate);
  /// How many are newly found lost. `recovering`: reordering is not waited for.
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
  void deliver(const Sent& segment, base::Time now, base::Duration min_rtt, News& news);
  void lose(Sent& segment);
  void note_gone(const Sent& segment);
  bool sent_before_newest(const Sent& segment) const;

  std::deque<Sent> sent_;    ///< in the order of the stream
  std::int64_t sacked_ = 0;  ///< of them
  std::int64_t lost_ = 0;    ///< of them
  std::int64_t in_flight_ = 0;
  base::ByteCount in_flight_bytes_;
  // Of what was delivered, what was sent last (RACK.xmit_ts and RACK.end_seq).
  base::Time newest_sent_{};
  Offset newest_end_ = 0;
  std::optional<base::Time> reorder_at_;
};

}  // namespace sim
