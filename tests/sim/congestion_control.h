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
  base::Duration rtt{};         ///< zero: none
  base::Duration min_rtt{};     ///< of the connection
  base::BitRate delivery_rate;  ///< zero: none
  bool app_limited = false;     ///< so is that
  bool new_round = false;       ///< a round trip has passed
  bool window_limited = false;  ///< the window is used (tcp_is_cwnd_limited())
  bool idle_restart = false;    ///< the first after the application had nothing to send
  bool fast_recovery = false;   ///< from a loss, not from a timeout
};

/// How much a sender may have in flight, and how fast it may leave. Windows count in segments of
/// the MSS. As the kernel's, simplified where only the steady state matters; each file says where.
class CongestionControl {
 public:
  static constexpr double kInitialWindow = 10;  // RFC 6928

  virtual ~CongestionControl() = default;
  virtual void on_ack(const AckSample& sample) = 0;
  virtual void on_loss() = 0;     ///< fast recovery begins
  virtual void on_timeout() = 0;  ///< the retransmission timer expired
  virtual void on_recovered() = 0;
  /// For a retransmission timeout no more than `used` was in flight (RFC 2861).
  virtual void on_unused_window(double used) = 0;
  virtual double window() const = 0;
  virtual std::optional<double> ssthresh() const = 0;  ///< empty: infinite
  virtual base::BitRate pacing() const = 0;            ///< zero: none
  /// The server's hint: a new window and ssthresh.
  virtual void set_window(double segments) = 0;

  bool in_slow_start() const { return !ssthresh() || window() < *ssthresh(); }
};

std::unique_ptr<CongestionControl> make_cubic();
std::unique_ptr<CongestionControl> make_bbr(std::uint32_t mss);
/// "cubic" or "bbr".
std::unique_ptr<CongestionControl> make_congestion_control(std::string_view name,
                                                           std::uint32_t mss);

}  // namespace sim
