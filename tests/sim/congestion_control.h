#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/units.h"

namespace sim {

/// What an acknowledgement tells a congestion control. Counts are of segments.
struct AckSample {
  base::Time now{};
  double acked = 0;             ///< delivered by it
  double lost = 0;              ///< found lost by it
  double in_flight = 0;         ///< after it
  double in_flight_before = 0;  ///< it
  base::Duration departs_in{};  ///< pacing delays the next one so long
  base::Duration rtt{};         ///< zero: none
  base::Duration min_rtt{};     ///< of the connection
  base::BitRate delivery_rate;  ///< zero: none
  bool app_limited = false;     ///< so is that
  std::int64_t delivered = 0;   ///< of the connection
  /// Likewise, when the newest of what it delivers was sent.
  std::int64_t delivered_before = 0;
  bool window_limited = false;  ///< the window is used (tcp_is_cwnd_limited())
  bool fast_recovery = false;   ///< from a loss, not from a timeout
};

/// Round trips, counted by what is delivered.
class Rounds {
 public:
  /// What was sent after the last one began is delivered.
  bool ends(const AckSample& sample) {
    if (sample.rtt.count() == 0 || sample.delivered_before < end_) return false;
    begin(sample);
    return true;
  }
  void begin(const AckSample& sample) { end_ = sample.delivered; }

 private:
  std::int64_t end_ = 0;
};

/// How much a sender may have in flight, and how fast it may leave. Windows count in segments of
/// the MSS. As the kernel's, simplified where only the steady state matters; each file says where.
class CongestionControl {
 public:
  static constexpr double kInitialWindow = 10;  // RFC 6928

  virtual ~CongestionControl() = default;
  virtual void on_ack(const AckSample& sample) = 0;
  virtual void on_loss() = 0;  ///< fast recovery begins
  /// The retransmission timer expired. `again`: what was sent before it or before a loss is still
  /// being recovered, and ssthresh has been set for that (tcp_enter_loss()).
  virtual void on_timeout(bool again) = 0;
  virtual void on_recovered() = 0;
  /// CA_EVENT_TX_START: something is sent while nothing is in flight, `idle` after the last time.
  virtual void on_restart(base::Time now, base::Duration idle, bool app_limited) = 0;
  /// For a retransmission timeout no more than `used` was in flight (RFC 2861).
  virtual void on_unused_window(double used) = 0;
  virtual double window() const = 0;
  virtual std::optional<double> ssthresh() const = 0;  ///< empty: infinite
  virtual base::BitRate pacing() const = 0;            ///< zero: none
  /// The server's hint: a new window and ssthresh, with which it begins anew.
  virtual void set_window(double segments) = 0;
  virtual bool bbr() const { return false; }
  /// It sends less than it might: what is delivered meanwhile is application-limited.
  virtual bool holds_back() const { return false; }

  bool in_slow_start() const { return !ssthresh() || window() < *ssthresh(); }
};

std::unique_ptr<CongestionControl> make_cubic();
std::unique_ptr<CongestionControl> make_bbr(std::uint32_t mss);
/// "cubic" or "bbr".
std::unique_ptr<CongestionControl> make_congestion_control(std::string_view name,
                                                           std::uint32_t mss);

}  // namespace sim
