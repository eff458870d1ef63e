// BBR, version 1: the kernel's tcp_bbr.c, which draft-cardwell-iccrg-bbr-congestion-control-00
// describes (version 3 is draft-ietf-ccwg-bbr). Not modelled: the policer's long-term bandwidth,
// the allowance for aggregated acknowledgements, and the random first phase of the gain cycle.

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <utility>

#include "congestion_control.h"

namespace sim {

namespace {

using namespace std::chrono_literals;

constexpr double kHighGain = 2.885;  // 2/ln 2: doubles the rate in each round
constexpr std::array kCycle{1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
constexpr double kWindowGain = 2;
constexpr int kBandwidthRounds = 10;
constexpr double kFullBandwidth = 1.25;  // bbr_full_bw_thresh
constexpr int kFullRounds = 3;
constexpr base::Duration kMinRttWindow = 10s;
constexpr base::Duration kProbeRttTime = 200ms;
constexpr double kLeastWindow = 4;
// bbr_quantization_budget(): three bursts, of two segments at the rates of video.
constexpr double kQuanta = 6;
constexpr double kPacingMargin = 0.99;  // bbr_pacing_margin_percent

class Bbr final : public CongestionControl {
 public:
  explicit Bbr(double mss) : mss_{mss} {}

  void on_ack(const AckSample& sample) override {
    update_bandwidth(sample);
    update_mode(sample);
    update_min_rtt(sample);
    update_window(sample);
  }

  void on_loss() override {
    save_window();
    conserves_ = enters_recovery_ = true;
  }
  void on_timeout() override {
    save_window();
    window_ = 1;
    full_bandwidth_ = 0;
  }
  void on_recovered() override {
    window_ = std::max(window_, std::exchange(saved_window_, 0));
    conserves_ = false;
  }
  void on_unused_window(double) override {}
  double window() const override { return window_; }
  std::optional<double> ssthresh() const override { return std::nullopt; }
  base::BitRate pacing() const override {
    if (bandwidth() == 0) return {};
    return base::BitRate{static_cast<std::int64_t>(gain() * kPacingMargin * bandwidth())};
  }
  void set_window(double) override {}  // it sets its own at the next acknowledgement

 private:
  enum class Mode { kStartup, kDrain, kProbeBandwidth, kProbeRtt };
  struct Bandwidth {
    std::int64_t round;
    double bps;
  };

  double bandwidth() const { return best_.empty() ? 0 : best_.front().bps; }
  /// The bandwidth-delay product, in segments.
  double pipe() const { return bandwidth() * base::seconds(min_rtt_) / 8 / mss_; }
  double gain() const {
    if (mode_ == Mode::kStartup) return kHighGain;
    if (mode_ == Mode::kDrain) return 1 / kHighGain;
    if (mode_ == Mode::kProbeRtt) return 1;
    return kCycle[cycle_];
  }
  double target_window() const {
    return std::max(kLeastWindow, (full_ ? kWindowGain : kHighGain) * pipe() + kQuanta);
  }
  void save_window() { saved_window_ = std::max(saved_window_, window_); }

  void update_bandwidth(const AckSample& sample) {
    if (sample.new_round) ++round_;
    const auto bps = static_cast<double>(sample.delivery_rate.bps());
    if (bps <= 0 || (sample.app_limited && bps < bandwidth())) return;
    while (!best_.empty() && best_.back().bps <= bps) best_.pop_back();
    best_.push_back({round_, bps});
    while (best_.front().round < round_ - kBandwidthRounds) best_.pop_front();
  }

  void update_mode(const AckSample& sample) {
    if (!full_ && sample.new_round && !sample.app_limited) check_full();
    if (mode_ == Mode::kStartup && full_) mode_ = Mode::kDrain;
    if (mode_ == Mode::kDrain && sample.in_flight <= pipe()) begin_cycle(sample.now);
    if (mode_ == Mode::kProbeBandwidth && cycle_is_over(sample)) {
      cycle_ = (cycle_ + 1) % kCycle.size();
      cycle_begin_ = sample.now;
    }
  }

  void check_full() {
    if (bandwidth() >= kFullBandwidth * full_bandwidth_) {
      full_bandwidth_ = bandwidth();
      flat_rounds_ = 0;
    } else {
      full_ = ++flat_rounds_ >= kFullRounds;
    }
  }

  /// bbr_is_next_cycle_phase()
  bool cycle_is_over(const AckSample& sample) const {
    const bool long_enough = sample.now - cycle_begin_ > min_rtt_;
    if (kCycle[cycle_] > 1) {
      return long_enough && (sample.lost > 0 || sample.in_flight >= kCycle[cycle_] * pipe());
    }
    return long_enough || (kCycle[cycle_] < 1 && sample.in_flight <= pipe());
  }

  void begin_cycle(base::Time now) {
    mode_ = Mode::kProbeBandwidth;
    cycle_ = 2;
    cycle_begin_ = now;
  }

  void update_min_rtt(const AckSample& sample) {
    if (sample.rtt.count() > 0) {
      const bool expired = sample.now > min_rtt_at_ + kMinRttWindow;
      if (sample.rtt <= min_rtt_ || expired) {
        min_rtt_ = sample.rtt;
        min_rtt_at_ = sample.now;
      }
      if (expired && !sample.idle_restart && mode_ == Mode::kProbeBandwidth) {
        mode_ = Mode::kProbeRtt;
        save_window();
        probe_end_.reset();
      }
    }
    if (mode_ != Mode::kProbeRtt) return;
    if (!probe_end_ && sample.in_flight <= kLeastWindow) probe_end_ = sample.now + kProbeRttTime;
    if (probe_end_ && sample.now >= *probe_end_) {
      min_rtt_at_ = sample.now;
      on_recovered();
      begin_cycle(sample.now);
    }
  }

  /// bbr_set_cwnd()
  void update_window(const AckSample& sample) {
    if (sample.lost > 0) window_ = std::max(1.0, window_ - sample.lost);
    if (std::exchange(enters_recovery_, false)) {
      window_ = sample.in_flight + sample.acked;
    } else if (sample.new_round) {
      conserves_ = false;
    }
    if (conserves_) {
      window_ = std::max(window_, sample.in_flight + sample.acked);
    } else if (full_) {
      window_ = std::min(window_ + sample.acked, target_window());
    } else if (bandwidth() == 0 || window_ < target_window()) {
      window_ += sample.acked;
    }
    window_ = mode_ == Mode::kProbeRtt ? std::min(window_, kLeastWindow) : window_;
  }

  const double mss_;
  Mode mode_ = Mode::kStartup;
  double window_ = kInitialWindow;
  double saved_window_ = 0;  ///< before a loss, a timeout or PROBE_RTT
  bool conserves_ = false;   ///< packets, in the first round of recovery
  bool enters_recovery_ = false;
  std::deque<Bandwidth> best_;  ///< falling; the first is the best of the last rounds
  std::int64_t round_ = 0;
  base::Duration min_rtt_ = base::Duration::max();
  base::Time min_rtt_at_{};
  std::optional<base::Time> probe_end_;
  bool full_ = false;
  double full_bandwidth_ = 0;
  int flat_rounds_ = 0;
  std::size_t cycle_ = 0;
  base::Time cycle_begin_{};
};

}  // namespace

std::unique_ptr<CongestionControl> make_bbr(std::uint32_t mss) {
  return std::make_unique<Bbr>(static_cast<double>(mss));
}

}  // namespace sim
