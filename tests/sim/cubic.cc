// CUBIC (RFC 9438; net/ipv4/tcp_cubic.c), with the delay half of HyStart. Not modelled:
// - HyStart's ACK trains, which need the spacing within a burst;
// - whole segments and jiffies: the window is a fraction, and grows with each ACK;
// - CUBIC's own delay_min, which ignores the second after a loss and restarts after a timeout: the
//   connection's minimum RTT takes its place;
// - undoing spurious reductions (tcp_reno_undo_cwnd()).

#include <algorithm>
#include <cmath>

#include "congestion_control.h"

namespace sim {

namespace {

using namespace std::chrono_literals;

// RFC 9438, 4.1 and 4.6.
constexpr double kCubicScale = 0.4;
constexpr double kCubicBeta = 0.7;
// Growth of W_est, RFC 9438, 4.3. The kernel keeps it even above cwnd_prior (beta_scale).
constexpr double kRenoAlpha = 3 * (1 - kCubicBeta) / (1 + kCubicBeta);
// bictcp_update(): "very small increment", and 5 % per round trip before W_max is known.
constexpr double kPlateauDivisor = 100;
constexpr double kUnknownGrowth = 0.05;
constexpr double kMinSsthresh = 2;  // RFC 5681, equation 4
// tcp_cubic.c: HYSTART_MIN_SAMPLES, hystart_low_window, HYSTART_DELAY_MIN and _MAX.
constexpr int kHystartMinSamples = 8;
constexpr double kHystartMinWindow = 16;
constexpr base::Duration kHystartMinDelay = 4ms;
constexpr base::Duration kHystartMaxDelay = 16ms;

class Cubic final : public CongestionControl {
 public:
  void on_ack(const AckSample& sample) override {
    const bool new_round = rounds_.ends(sample);
    if (sample.fast_recovery) return;
    if (in_slow_start()) notice_delay(sample, new_round);
    if (!sample.window_limited) return;
    if (in_slow_start()) {
      window_ += sample.acked;
    } else {
      // RFC 9438, 4.2: the target is at most 1.5 windows.
      window_ += std::min(growth(sample), sample.acked / 2);
    }
  }

  void on_loss() override {
    epoch_.reset();
    // Fast convergence: RFC 9438, 4.7.
    max_ = window_ < max_ ? window_ * (1 + kCubicBeta) / 2 : window_;
    window_ = std::max(kMinSsthresh, kCubicBeta * window_);
    ssthresh_ = window_;
  }

  /// cubictcp_state(): starts again.
  void on_timeout(bool again) override {
    if (!again) on_loss();
    window_ = 1;
    max_ = 0;
    epoch_.reset();
  }

  void on_recovered() override {}
  /// cubictcp_cwnd_event(): idle time does not count for the epoch.
  void on_restart(base::Time now, base::Duration idle, bool /*app_limited*/) override {
    if (epoch_) epoch_ = std::min(now, *epoch_ + idle);
  }

  /// tcp_cwnd_application_limited()
  void on_unused_window(double used) override {
    if (used >= window_) return;
    ssthresh_ = std::max(ssthresh_.value_or(0), 0.75 * window_);
    window_ = (window_ + used) / 2;
  }

  double window() const override { return window_; }
  std::optional<double> ssthresh() const override { return ssthresh_; }
  base::BitRate pacing() const override { return {}; }

  void set_window(double segments) override {
    window_ = segments;
    ssthresh_ = segments;
    max_ = segments;
    epoch_.reset();
  }

 private:
  /// HYSTART_DELAY: the round trip grows before the queue overflows.
  void notice_delay(const AckSample& sample, bool new_round) {
    if (new_round) {
      samples_ = 0;
      round_min_ = base::Duration::max();
    }
    if (sample.rtt.count() == 0 || window_ < kHystartMinWindow) return;
    round_min_ = std::min(round_min_, sample.rtt);
    const auto slack = std::clamp(sample.min_rtt / 8, kHystartMinDelay, kHystartMaxDelay);
    if (++samples_ >= kHystartMinSamples && round_min_ > sample.min_rtt + slack)
      ssthresh_ = window_;
  }

  /// RFC 9438, 4.2 to 4.5.
  double growth(const AckSample& sample) {
    if (!epoch_) begin_epoch(sample.now);
    const double t = base::seconds(sample.now - *epoch_ + sample.min_rtt);
    const double target = origin_ + kCubicScale * std::pow(t - k_, 3);
    reno_ += kRenoAlpha * sample.acked / window_;
    const double aim = std::max(target, reno_);
    const double least = max_ > 0 ? 1 / (kPlateauDivisor * window_) : kUnknownGrowth;
    return sample.acked * std::max((aim - window_) / window_, least);
  }

  void begin_epoch(base::Time now) {
    epoch_ = now;
    origin_ = std::max(max_, window_);
    k_ = std::cbrt((origin_ - window_) / kCubicScale);
    reno_ = window_;
  }

  double window_ = kInitialWindow;
  std::optional<double> ssthresh_;
  double max_ = 0;  ///< W_max; 0: unknown
  std::optional<base::Time> epoch_;
  double origin_ = 0;
  double k_ = 0;     ///< seconds
  double reno_ = 0;  ///< W_est
  Rounds rounds_;
  int samples_ = 0;
  base::Duration round_min_ = base::Duration::max();
};

}  // namespace

std::unique_ptr<CongestionControl> make_cubic() { return std::make_unique<Cubic>(); }

std::unique_ptr<CongestionControl> make_congestion_control(std::string_view name,
                                                           std::uint32_t mss) {
  if (name == "cubic") return make_cubic();
  return make_bbr(mss);
}

}  // namespace sim
