#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "base/units.h"
#include "congestion_control.h"
#include "delivery_rate.h"
#include "packet.h"
#include "round_trip.h"
#include "scoreboard.h"
#include "window_use.h"

namespace sim {

/// The sending end of a connection and its TCP_INFO: SACK (RFC 6675's pipe, without proportional
/// rate reduction), RACK and tail loss probes (RFC 8985), the retransmission timer (RFC 6298),
/// pacing segment by segment. Not modelled: the handshake, undoing spurious reductions (F-RTO,
/// Eifel), the window's restart after an idle timeout (tcp_cwnd_restart()), segments of several MSS
/// (TSO), the receive window. No I/O, no clock: `now` never goes back.
class TcpSender {
 public:
  static constexpr std::uint32_t kMss = 1448;

  struct State {
    Offset written = 0;     ///< by the application
    Offset next = 0;        ///< the first byte never sent
    Offset cumulative = 0;  ///< acknowledged
    base::ByteCount delivered;
    std::uint32_t retransmits = 0;
    unsigned rexmt = 0;   ///< how often the timer has expired
    unsigned dupack = 0;  ///< how often fast recovery has begun
    bool recovering = false;
  };

  TcpSender(std::size_t flow, std::unique_ptr<CongestionControl> control)
      : flow_{flow}, control_{std::move(control)} {}

  /// Continues as a new connection would, but for its round-trip time.
  void begin_again(std::unique_ptr<CongestionControl> control) { control_ = std::move(control); }

  /// setsockopt(TCP_CONGESTION). The window stays, and is also the new ssthresh.
  void change(std::unique_ptr<CongestionControl> control) {
    control->continue_with(control_->window(), last_ack_);
    control_ = std::move(control);
  }

  /// One write(). Its last segment holds no bytes of the next write (MSG_EOR).
  void write(base::ByteCount size);
  void on_ack(const Ack& ack, base::Time now);
  /// The next segment that may be sent now.
  std::optional<Segment> send(base::Time now);
  std::optional<base::Time> timer() const;
  void on_timer(base::Time now);

  /// SO_MAX_PACING_RATE; zero means no limit.
  void limit_pacing(base::BitRate most) { most_pacing_ = most; }
  base::BitRate pacing() const;  ///< zero: no pacing

  const State& state() const { return state_; }
  const RoundTrip& round_trip() const { return round_trip_; }
  base::ByteCount in_flight() const { return board_.in_flight_bytes(); }
  base::ByteCount lost() const { return base::ByteCount{board_.lost() * kMss}; }
  const DeliveryRate& delivery_rate() const { return delivery_rate_; }
  base::ByteCount notsent() const { return size_of(Range{state_.next, state_.written}); }
  CongestionControl& control() { return *control_; }
  const CongestionControl& control() const { return *control_; }

 private:
  void tell_control(const Scoreboard::AckEffect& effect, std::int64_t lost, base::Time now);
  std::int64_t detect_losses(base::Time now);
  void begin_recovery();
  void end_recovery();
  void probe_tail(base::Time now);
  void expire(base::Time now);
  base::Duration backed_off() const;
  void restart_timer(base::Time now);
  bool window_is_full() const;
  bool may_send(base::Time now);
  void note_window_use(base::Time now);
  Segment transmit_new(base::Time now);
  Segment retransmit(base::Time now);
  Segment transmit(Scoreboard::Sent& segment, base::Time now);
  void pace(const Range& bytes, base::Time now);

  const std::size_t flow_;
  std::unique_ptr<CongestionControl> control_;
  State state_;
  AckSample last_ack_;
  Scoreboard board_;
  RoundTrip round_trip_;
  DeliveryRate delivery_rate_;
  WindowUse window_use_;
  std::deque<Offset> write_ends_;
  Offset recovery_end_ = 0;
  bool timed_out_ = false;  ///< recovering from a timeout
  int backoff_ = 0;
  bool probed_ = false;         ///< a tail loss probe has been sent
  bool beyond_window_ = false;  ///< the probe may exceed the window
  std::optional<base::Time> retransmit_at_;
  base::Time last_sent_{};
  base::Time pace_next_{};
  base::BitRate most_pacing_;
  bool waits_for_pace_ = false;
};

}  // namespace sim
