#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/units.h"

namespace sim {

/// The input of a congestion control for each ACK. Counts are of segments.
struct AckSample {
  base::Time now{};
  double acked = 0;             ///< newly delivered
  double lost = 0;              ///< newly found lost
  double in_flight = 0;         ///< after the ACK
  double in_flight_before = 0;  ///< before the ACK
  base::Duration departs_in{};  ///< time for which pacing delays the next segment
  base::Duration rtt{};         ///< zero: no sample
  base::Duration min_rtt{};     ///< of the connection
  base::BitRate delivery_rate;  ///< zero: no sample
  bool app_limited = false;     ///< the application limited `delivery_rate`
  std::int64_t delivered = 0;   ///< since the connection began
  /// `delivered` when the newest delivered segment was sent.
  std::int64_t delivered_before = 0;
  bool window_limited = false;  ///< the window is used (tcp_is_cwnd_limited())
  bool fast_recovery = false;   ///< recovering from a loss, not from a timeout
};

/// Round trips, counted by delivered data.
class Rounds {
 public:
  /// Begins a new round and returns true if a segment was delivered that was sent after the last
  /// round began.
  bool ends(const AckSample& sample) {
    if (sample.rtt.count() == 0 || sample.delivered_before < end_) return false;
    begin(sample);
    return true;
  }
  void begin(const AckSample& sample) { end_ = sample.delivered; }

 private:
  std::int64_t end_ = 0;
};

/// Limits the data in flight, and the rate at which it leaves. Windows count segments of the MSS.
/// The kernel's algorithms, simplified if only the steady state matters; each file lists the
/// differences.
class CongestionControl {
 public:
  static constexpr double kInitialWindow = 10;  // RFC 6928

  virtual ~CongestionControl() = default;
  virtual void on_ack(const AckSample& sample) = 0;
  virtual void on_loss() = 0;  ///< fast recovery begins
  /// The retransmission timer expired. `again`: an earlier loss or timeout is still being
  /// recovered, and ssthresh has been set for it (tcp_enter_loss()).
  virtual void on_timeout(bool again) = 0;
  virtual void on_recovered() = 0;
  /// CA_EVENT_TX_START: a segment is sent while nothing is in flight, `idle` after the last one.
  virtual void on_restart(base::Time now, base::Duration idle, bool app_limited) = 0;
  /// At most `used` segments were in flight for a retransmission timeout (RFC 2861).
  virtual void on_unused_window(double used) = 0;
  virtual double window() const = 0;
  virtual std::optional<double> ssthresh() const = 0;  ///< nullopt: infinite
  virtual base::BitRate pacing() const = 0;            ///< zero: no pacing
  /// The server's hint: a new window and ssthresh. The algorithm starts again with them.
  virtual void set_window(double segments) = 0;
  /// Takes over from another one, whose last ACK that was.
  virtual void continue_with(double window, const AckSample& /*last*/) { set_window(window); }
  virtual bool bbr() const { return false; }
  /// It sends less than it could: deliveries meanwhile are application-limited.
  virtual bool holds_back() const { return false; }

  bool in_slow_start() const { return !ssthresh() || window() < *ssthresh(); }
};

std::unique_ptr<CongestionControl> make_cubic();
std::unique_ptr<CongestionControl> make_bbr(std::uint32_t mss);
/// "cubic", "bbr", or "auto", which begins with BBR.
std::unique_ptr<CongestionControl> make_congestion_control(std::string_view name,
                                                           std::uint32_t mss);

}  // namespace sim
