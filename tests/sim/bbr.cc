// BBR version 1: the kernel's tcp_bbr.c, described by
// draft-cardwell-iccrg-bbr-congestion-control-00 (version 3 is draft-ietf-ccwg-bbr). Not modelled:
// - the policer's long-term bandwidth (lt_bw);
// - the random first phase of the gain cycle, which is always the third here;
// - bursts: segments leave one by one, and bbr_tso_segs_goal() counts only in the windows;
// - the pacing rate before the first RTT is known (there is no handshake to measure it), and the
//   effect of SO_MAX_PACING_RATE on pacing_ itself: the sender applies it;
// - that the RTT of a delayed ACK does not replace an expired minimum;
// - jiffies, and minmax_running_max()'s three samples: the maximum is exact;
// - undoing spurious reductions (bbr_undo_cwnd()).

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <optional>
#include <utility>

#include "congestion_control.h"

namespace sim {

namespace {

using namespace std::chrono_literals;

constexpr double kHighGain = 2.885;  // 2/ln 2: doubles the rate in each round
constexpr std::array kPacingCycle{1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
constexpr double kWindowGain = 2;
constexpr int kBandwidthRounds = 10;
constexpr double kFullBandwidthGrowth = 1.25;  // bbr_full_bw_thresh
constexpr int kFullRounds = 3;
constexpr base::Duration kMinRttWindow = 10s;
constexpr base::Duration kProbeRttTime = 200ms;
constexpr double kMinWindow = 4;
constexpr double kQuantizationBursts = 3;     // bbr_quantization_budget()
constexpr double kMinBurstRate = 1.2e6;       // bbr_min_tso_rate, bit/s
constexpr double kBurstsPerSecond = 1 << 10;  // sk_pacing_shift
constexpr double kPacingMargin = 0.99;        // bbr_pacing_margin_percent
constexpr int kAggregationRounds = 5;         // bbr_extra_acked_win_rtts
constexpr auto kMostAggregation = 100ms;      // bbr_extra_acked_max_us

/// The most segments that ACKs brought beyond the bandwidth, in the last five to ten rounds:
/// bbr_update_ack_aggregation().
class AckAggregation {
 public:
  void update(const AckSample& sample, double segments_per_second, bool new_round, double window) {
    if (sample.acked <= 0 || sample.delivery_rate.bps() == 0) return;
    if (new_round && ++rounds_ >= kAggregationRounds) {
      rounds_ = 0;
      most_ = {0, most_[0]};
    }
    double expected = segments_per_second * base::seconds(sample.now - since_);
    if (acked_ <= expected) {
      restart(sample.now);
      expected = 0;
    }
    acked_ += sample.acked;
    most_[0] = std::max(most_[0], std::min(acked_ - expected, window));
  }
  void restart(base::Time now) {
    acked_ = 0;
    since_ = now;
  }
  double extra() const { return std::max(most_[0], most_[1]); }

 private:
  std::array<double, 2> most_{};  ///< of the current rounds and of those before
  int rounds_ = 0;
  double acked_ = 0;  ///< since `since_`
  base::Time since_{};
};

class Bbr final : public CongestionControl {
 public:
  explicit Bbr(double mss) : mss_{mss} {}

  void on_ack(const AckSample& sample) override {
    update_bandwidth(sample);
    aggregation_.update(sample, bandwidth() / 8 / mss_, new_round_, window_);
    update_mode(sample);
    update_min_rtt(sample);
    idle_restart_ = false;
    update_pacing(sample);
    update_window(sample);
    last_ = sample;
  }

  void on_loss() override {
    save_window();
    conserves_ = enters_recovery_ = true;
  }
  void on_timeout(bool /*again*/) override {
    save_window();
    window_ = 1;
    full_bandwidth_ = 0;
    enters_recovery_ = false;
  }
  void on_recovered() override {
    window_ = std::max(window_, std::exchange(saved_window_, 0));
    conserves_ = false;
  }
  /// bbr_cwnd_event()
  void on_restart(base::Time now, base::Duration /*idle*/, bool app_limited) override {
    if (!app_limited) return;
    idle_restart_ = true;
    aggregation_.restart(now);
    if (mode_ == Mode::kProbeBandwidth) pacing_ = kPacingMargin * bandwidth();
    if (mode_ == Mode::kProbeRtt) end_probe(now);
  }
  void on_unused_window(double) override {}
  double window() const override { return window_; }
  std::optional<double> ssthresh() const override { return std::nullopt; }
  base::BitRate pacing() const override {
    return base::BitRate{static_cast<std::int64_t>(pacing_)};
  }
  /// bbr_init() with the given window.
  void set_window(double segments) override {
    const auto last = last_;
    *this = Bbr{mss_};
    window_ = segments;
    rounds_.begin(last);
    if (last.rtt.count() == 0) return;
    min_rtt_ = last.min_rtt;
    min_rtt_at_ = last.now;
    pacing_ = first_pacing(last.rtt);
  }
  void continue_with(double window, const AckSample& last) override {
    last_ = last;
    set_window(window);
  }
  bool bbr() const override { return true; }
  /// bbr_update_min_rtt(): "Ignore low rate samples during this mode."
  bool holds_back() const override { return mode_ == Mode::kProbeRtt; }

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
    return kPacingCycle[cycle_];
  }
  /// bbr_init_pacing_rate_from_rtt()
  double first_pacing(base::Duration rtt) const {
    return kHighGain * kPacingMargin * window_ * mss_ * 8 / base::seconds(rtt);
  }
  double window_gain() const {
    if (mode_ == Mode::kProbeBandwidth) return kWindowGain;
    return mode_ == Mode::kProbeRtt ? 1 : kHighGain;
  }
  /// bbr_tso_segs_goal()
  double burst() const {
    const double least = pacing_ < kMinBurstRate ? 1 : 2;
    return std::max(least, std::floor(pacing_ / 8 / kBurstsPerSecond / mss_));
  }
  /// bbr_inflight()
  double in_flight_at(double gain) const { return quantized(std::ceil(gain * pipe())); }
  /// bbr_quantization_budget()
  double quantized(double segments) const {
    const double budget = segments + kQuantizationBursts * burst();
    const double probes = mode_ == Mode::kProbeBandwidth && cycle_ == 0 ? 2 : 0;
    return 2 * std::ceil(budget / 2) + probes;
  }
  /// bbr_set_cwnd()'s target, with bbr_ack_aggregation_cwnd()
  double window_target() const {
    const double most = bandwidth() * base::seconds(kMostAggregation) / 8 / mss_;
    const double extra = full_ ? std::min(aggregation_.extra(), most) : 0;
    return quantized(std::ceil(window_gain() * pipe()) + std::floor(extra));
  }
  /// bbr_packets_in_net_at_edt(): in flight when the next segment departs.
  double in_network(double in_flight, const AckSample& sample) const {
    const double joining = gain() > 1 ? burst() : 0;
    const double leaving = bandwidth() * base::seconds(sample.departs_in) / 8 / mss_;
    return std::max(0.0, in_flight + joining - leaving);
  }
  void save_window() { saved_window_ = std::max(saved_window_, window_); }

  void update_bandwidth(const AckSample& sample) {
    new_round_ = sample.delivery_rate.bps() > 0 && rounds_.ends(sample);
    if (new_round_) ++round_;
    const auto bps = static_cast<double>(sample.delivery_rate.bps());
    if (bps <= 0 || (sample.app_limited && bps < bandwidth())) return;
    while (!best_.empty() && best_.back().bps <= bps) best_.pop_back();
    best_.push_back({round_, bps});
    while (best_.front().round < round_ - kBandwidthRounds) best_.pop_front();
  }

  void update_mode(const AckSample& sample) {
    if (mode_ == Mode::kProbeBandwidth && cycle_is_over(sample)) {
      cycle_ = (cycle_ + 1) % kPacingCycle.size();
      cycle_begin_ = sample.now;
    }
    if (!full_ && new_round_ && !sample.app_limited) check_full();
    if (mode_ == Mode::kStartup && full_) mode_ = Mode::kDrain;
    if (mode_ == Mode::kDrain && in_network(sample.in_flight, sample) <= in_flight_at(1)) {
      begin_cycle(sample.now);
    }
  }

  void check_full() {
    if (bandwidth() >= kFullBandwidthGrowth * full_bandwidth_) {
      full_bandwidth_ = bandwidth();
      flat_rounds_ = 0;
    } else {
      full_ = ++flat_rounds_ >= kFullRounds;
    }
  }

  /// bbr_is_next_cycle_phase()
  bool cycle_is_over(const AckSample& sample) const {
    const bool long_enough = sample.now - cycle_begin_ > min_rtt_;
    const double in_network = this->in_network(sample.in_flight_before, sample);
    if (gain() > 1) return long_enough && (sample.lost > 0 || in_network >= in_flight_at(gain()));
    return long_enough || (gain() < 1 && in_network <= in_flight_at(1));
  }

  void begin_cycle(base::Time now) {
    mode_ = Mode::kProbeBandwidth;
    cycle_ = 2;
    cycle_begin_ = now;
  }

  void update_min_rtt(const AckSample& sample) {
    if (sample.rtt.count() > 0) {
      const bool expired = min_rtt_at_ && sample.now > *min_rtt_at_ + kMinRttWindow;
      if (sample.rtt < min_rtt_ || expired) {
        min_rtt_ = sample.rtt;
        min_rtt_at_ = sample.now;
      }
      if (expired && !idle_restart_ && mode_ != Mode::kProbeRtt) {
        mode_ = Mode::kProbeRtt;
        save_window();
        probe_end_.reset();
      }
    }
    if (mode_ != Mode::kProbeRtt) return;
    if (probe_end_) {
      probed_round_ |= new_round_;
      if (probed_round_) end_probe(sample.now);
    } else if (sample.in_flight <= kMinWindow) {
      probe_end_ = sample.now + kProbeRttTime;
      probed_round_ = false;
      rounds_.begin(sample);
    }
  }

  /// bbr_check_probe_rtt_done()
  void end_probe(base::Time now) {
    if (!probe_end_ || now < *probe_end_) return;
    min_rtt_at_ = now;
    window_ = std::max(window_, saved_window_);
    mode_ = Mode::kStartup;
    if (full_) begin_cycle(now);
  }

  /// bbr_set_cwnd()
  void update_window(const AckSample& sample) {
    if (sample.lost > 0) window_ = std::max(1.0, window_ - sample.lost);
    if (std::exchange(enters_recovery_, false)) {
      window_ = sample.in_flight + sample.acked;
      rounds_.begin(sample);
    } else if (new_round_) {
      conserves_ = false;
    }
    if (conserves_) {
      window_ = std::max(window_, sample.in_flight + sample.acked);
    } else if (full_) {
      window_ = std::min(window_ + sample.acked, window_target());
    } else if (sample.delivered < kInitialWindow || window_ < window_target()) {
      window_ += sample.acked;
    }
    if (!conserves_) window_ = std::max(window_, kMinWindow);
    window_ = mode_ == Mode::kProbeRtt ? std::min(window_, kMinWindow) : window_;
  }

  /// bbr_set_pacing_rate()
  void update_pacing(const AckSample& sample) {
    if (pacing_ == 0 && sample.rtt.count() > 0) pacing_ = first_pacing(sample.rtt);
    const double bps = gain() * kPacingMargin * bandwidth();
    if (full_ || bps > pacing_) pacing_ = bps;
  }

  double mss_;
  Mode mode_ = Mode::kStartup;
  double window_ = kInitialWindow;
  double pacing_ = 0;        ///< bit/s, 0 means no pacing
  double saved_window_ = 0;  ///< before a loss, a timeout or PROBE_RTT
  bool conserves_ = false;   ///< packet conservation, in the first round of recovery
  bool enters_recovery_ = false;
  std::deque<Bandwidth> best_;  ///< in falling order; the first is the best of the last rounds
  AckAggregation aggregation_;
  Rounds rounds_;
  std::int64_t round_ = 0;
  bool new_round_ = false;  ///< this ACK begins a round
  base::Duration min_rtt_ = base::Duration::max();
  std::optional<base::Time> min_rtt_at_;
  std::optional<base::Time> probe_end_;  ///< PROBE_RTT lasts until then
  bool probed_round_ = false;            ///< and until this is true
  bool idle_restart_ = false;            ///< until the next ACK after an idle time
  bool full_ = false;
  double full_bandwidth_ = 0;
  int flat_rounds_ = 0;
  std::size_t cycle_ = 0;
  base::Time cycle_begin_{};
  AckSample last_{};
};

}  // namespace

std::unique_ptr<CongestionControl> make_bbr(std::uint32_t mss) {
  return std::make_unique<Bbr>(static_cast<double>(mss));
}

}  // namespace sim
