#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <vector>

#include "abr/control/control_loop.h"
#include "abr/policy/make_policy.h"
#include "abr/tuning.h"
#include "app/tcp/wire_format.h"
#include "app/viewer/observer.h"
#include "fuzz/check.h"
#include "fuzz/good_path.h"
#include "fuzz/odd_tcp.h"
#include "fuzz/target.h"
#include "tcpinfo/packet_train.h"
#include "tcpinfo/polled_events.h"
#include "tcpinfo/sample_series.h"
#include "tcpinfo/tcp_sample.h"

// A viewer's control loop on an odd path, whose TCP_INFO is anything that a kernel can say, and
// now and then wrong; then on a good path, on which the rate returns. The input begins with a byte
// that chooses the policy, and one with the bits of Setup. A list of steps follows: a byte with the
// Step, and numbers.

namespace {

using namespace std::chrono_literals;
using base::BitRate;
using base::ByteCount;
using base::Duration;
using base::Time;

enum class Step : std::uint8_t {
  kFrame,
  kAcknowledge,
  kWait,
  kRoundTrip,
  kWindow,
  kLoss,
  kReceiver,
  kQueue,
  kRates,
  kLimits,
  kSteady,
  kMistake
};
constexpr unsigned kSteps = 12;

constexpr abr::RateLimits kLimits{};
constexpr std::array kPolicies{abr::PolicyKind::kSymbiosis, abr::PolicyKind::kItcp,
                               abr::PolicyKind::kOff};
constexpr Duration kInterval = 33ms;
/// How long a rate holds at most that a viewer has read, and grows then (abr::Reader).
constexpr Duration kReaderMemory = 12min;
/// Frames of the odd path; more would only make inputs slow.
constexpr int kMostFrames = 5000;

enum Setup : unsigned {
  kBbr = 1,
  kSteersWindow = 2,
  kShared = 4,
  kWatchesRtt = 8,
  kFlv = 16,
  kOld = 32
};

class Viewer {
 public:
  Viewer(abr::PolicyKind kind, unsigned setup)
      : kind_{kind},
        setup_{setup},
        container_{(setup & kFlv) != 0 ? media::Container::kFlv : media::Container::kMpegTs},
        observer_{{}, container_},
        tcp_{(setup & kOld) != 0 ? tcpinfo::kLinux61TcpInfoBytes : sizeof(tcpinfo::TcpInfo)},
        loop_{abr::make_policy({.policy = kind, .rate = kLimits})} {
    rate_ = loop_.start(now_).rate;
    CHECK(rate_ == kLimits.start, rate_.bps());
  }

  void act(Step step, fuzz::Input& input);
  void recover();

 private:
  // The odd path.
  void pass(Duration time);
  void write(std::size_t size);
  void acknowledge(std::size_t count, Duration late, Duration spacing);
  void go_steady(int frames, Duration queued, Duration spacing);

  // Both paths.
  bool sample_due() const { return viewer_.discardable || now_ >= loop_.next_sample(); }
  server::SentFrame next_frame(std::size_t size, std::uint32_t mss);
  void deliver(const server::SentFrame& frame, std::optional<Time> head, Time at);
  abr::Actions observe(const tcpinfo::TcpInfoReading& reading, bool tick, bool paced);
  void check(const abr::Observation& observation, const abr::Actions& actions) const;

  // The good path.
  bool is_back() const { return kind_ == abr::PolicyKind::kOff || rate_ >= 0.9 * limits_.max; }
  void capture(fuzz::GoodPath& path);
  void write_queued(fuzz::GoodPath& path);
  void run(fuzz::GoodPath& path, Time until);
  void follow(fuzz::GoodPath& path, bool tick);

  const abr::PolicyKind kind_;
  const unsigned setup_;
  const media::Container container_;
  abr::RateLimits limits_ = kLimits;
  app::Observer observer_;
  tcpinfo::SampleSeries series_;
  tcpinfo::PolledEvents events_;
  fuzz::OddTcp tcp_;
  abr::ControlLoop loop_;
  server::ViewerState viewer_;
  Time now_{1h};
  BitRate rate_;
  media::Pts pts_{};
  int frames_ = 0;
  Time acked_at_{};
  std::deque<server::SentFrame> sent_;  ///< not acknowledged
  std::vector<tcpinfo::CongestionEvent> pushed_;
  ByteCount padding_;
  // On the good path.
  std::deque<std::size_t> queue_;   ///< sizes of frames that TCP has not taken
  std::optional<Time> head_acked_;  ///< of the oldest frame
  base::Time paused_until_{};
  bool missing_ = false;   ///< frames were discarded, and later ones cannot be decoded
  bool recovers_ = false;  ///< the next one can
};

void Viewer::pass(Duration time) {
  now_ += time;
  tcp_.pass(time);
}

server::SentFrame Viewer::next_frame(std::size_t size, std::uint32_t mss) {
  const auto begin = static_cast<std::uint64_t>(viewer_.sent.bytes());
  const auto padding = std::exchange(padding_, {});
  viewer_.padding += padding;
  viewer_.sent += ByteCount{static_cast<std::int64_t>(size)} + padding;
  server::SentFrame frame{.number = viewer_.frames_sent++,
                          .pts = pts_,
                          .captured = now_,
                          .departed = now_,
                          .begin = begin,
                          .end_offset = begin + size};
  if (!sample_due()) return frame;
  frame.marked_end = static_cast<std::uint64_t>(viewer_.sent.bytes());
  const auto head =
      tcpinfo::train_head(viewer_.sent - ByteCount{static_cast<std::int64_t>(begin)}, mss);
  if (head.bytes() > 0) frame.head_end = begin + static_cast<std::uint64_t>(head.bytes());
  return frame;
}

void Viewer::write(std::size_t size) {
  if (++frames_ > kMostFrames) return;
  const auto before = viewer_.sent;
  sent_.push_back(next_frame(size, tcp_.mss()));
  tcp_.write(static_cast<std::uint64_t>((viewer_.sent - before).bytes()));
  viewer_.rate = rate_;
  loop_.on_frame();
}

void Viewer::deliver(const server::SentFrame& frame, std::optional<Time> head, Time at) {
  app::FrameDelivery delivery{.at = at};
  if (frame.marked_end > 0) {
    delivery.source = app::FrameDelivery::Source::kTimestamp;
    if (frame.head_end > 0) delivery.head = head;
  }
  observer_.frame_delivered(frame, delivery);
}

/// The oldest frames' ACKs came `late` ago; the last's tail `spacing` after its head.
void Viewer::acknowledge(std::size_t count, Duration late, Duration spacing) {
  for (; count > 0 && !sent_.empty(); --count) {
    const auto frame = sent_.front();
    sent_.pop_front();
    const auto at = std::max({acked_at_, frame.departed, now_ - late});
    acked_at_ = at;
    deliver(frame, std::max(frame.departed, at - spacing), at);
    tcp_.acknowledge(frame.last_offset());
  }
}

/// Frames of the present rate, that wait for `queued` and take `spacing` after their head.
void Viewer::go_steady(int frames, Duration queued, Duration spacing) {
  const auto round_trip = tcp_.round_trip();
  for (int i = 0; i < frames && frames_ < kMostFrames; ++i) {
    pts_ += kInterval;
    pass(kInterval);
    write(static_cast<std::size_t>((0.9 * rate_ * kInterval).bytes()) + 200);
    observe(tcp_.reading(), true, tcp_.paces());
    while (!sent_.empty() &&
           sent_.front().departed + round_trip + queued + spacing <= now_ + kInterval) {
      const auto at = std::max(sent_.front().departed + round_trip + queued + spacing, acked_at_);
      if (at > now_) pass(at - now_);
      acknowledge(1, now_ - at, spacing);
      observe(tcp_.reading(), false, tcp_.paces());
    }
  }
}

void Viewer::act(Step step, fuzz::Input& input) {
  const auto ms = [&] { return std::chrono::milliseconds{input.take<std::uint16_t>()}; };
  const auto tens = [&] { return std::chrono::microseconds{input.take<std::uint16_t>() * 10}; };
  switch (step) {
    case Step::kFrame: {
      const std::chrono::milliseconds interval{input.take<std::uint8_t>()};
      pts_ += interval;
      pass(interval);
      write(1 + input.take<std::uint16_t>());
      break;
    }
    case Step::kAcknowledge: {
      const auto count = 1U + input.take<std::uint8_t>() % 16U;
      const auto late = tens();
      acknowledge(count, late, tens());
      break;
    }
    case Step::kWait:
      pass(ms());
      break;
    case Step::kRoundTrip:
      tcp_.choose_round_trip(input, now_);
      break;
    case Step::kWindow:
      tcp_.choose_window(input);
      break;
    case Step::kLoss: {
      const auto pushed = tcp_.lose(input);
      if ((pushed & 64) != 0) pushed_.push_back({.kind = tcpinfo::EventKind::kRexmt, .at = now_});
      if ((pushed & 128) != 0) pushed_.push_back({.kind = tcpinfo::EventKind::kDupack, .at = now_});
      break;
    }
    case Step::kReceiver:
      tcp_.choose_receiver(input);
      break;
    case Step::kQueue: {
      const auto queued = input.take<std::uint16_t>();
      viewer_.queued = ByteCount{64 * std::int64_t{queued / 2}};
      viewer_.discardable = queued % 2 == 1;
      viewer_.frames_per_write = 1 + input.take<std::uint8_t>() % 8;
      tcp_.choose_unsent(input);
      break;
    }
    case Step::kRates:
      tcp_.choose_rates(input);
      break;
    case Step::kLimits: {
      limits_.min = BitRate::kbps(50 + input.take<std::uint8_t>());
      limits_.max = limits_.min + BitRate::kbps(input.take<std::uint16_t>() % 20'000);
      loop_.set_limits(limits_);
      break;
    }
    case Step::kSteady: {
      const auto frames = input.take<std::uint8_t>();
      const auto queued = tens();
      go_steady(frames, queued, tens());
      break;
    }
    case Step::kMistake:
      observe(tcp_.mistake(input), true, tcp_.paces());
      break;
  }
  observe(tcp_.reading(), step == Step::kFrame, tcp_.paces());
}

abr::Actions Viewer::observe(const tcpinfo::TcpInfoReading& reading, bool tick, bool paced) {
  const auto sample = series_.next(to_sample(reading, now_));
  auto events = std::exchange(pushed_, {});
  if (tick) {
    for (const auto& event : events_.update(sample)) events.push_back(event);
  }
  const auto observation = observer_.observe(
      events,
      {.paced = paced, .bbr = (setup_ & kBbr) != 0, .rtt_watched = (setup_ & kWatchesRtt) != 0},
      sample, viewer_);
  const auto actions = loop_.on_observation(
      observation, {.private_group = (setup_ & kShared) == 0, .frames_missing = missing_}, now_);
  check(observation, actions);
  rate_ = actions.decision.rate;
  if (actions.padding.bytes() > 0) padding_ = actions.padding;
  return actions;
}

void Viewer::check(const abr::Observation& o, const abr::Actions& actions) const {
  const auto& decision = actions.decision;
  CHECK(decision.rate >= limits_.min && decision.rate <= limits_.max, decision.rate.bps());
  CHECK(decision.sustains.bps() == 0 ||
            (decision.sustains >= limits_.min && decision.sustains <= limits_.max),
        decision.sustains.bps());
  CHECK(actions.padding >= ByteCount{} && actions.padding <= abr::kMaxPadding,
        actions.padding.bytes());
  // Slower than the stream, frames would wait for TCP.
  CHECK(actions.pacing.bps() == 0 || actions.pacing >= decision.rate, actions.pacing.bps());
  CHECK(!actions.pause || (*actions.pause >= 0s && *actions.pause <= 2s));
  CHECK(o.discardable || !actions.discard);
  CHECK(actions.rtt_limit >= Duration{}, actions.rtt_limit.count());
  CHECK(!actions.calm || (setup_ & kShared) != 0);
  CHECK(loop_.next_sample() <= now_ + abr::SampleInterval::kMaxWatched);
  const auto& path = loop_.path();
  for (const auto rate : {path.capacity, path.highest, path.drain_rate, path.policer_rate,
                          path.reader_rate, path.cwnd_rate}) {
    CHECK(rate.bps() >= 0, rate.bps());
  }
  CHECK(path.backlog >= ByteCount{}, path.backlog.bytes());
}

/// A private encoder is at the rate with the next frame.
void Viewer::capture(fuzz::GoodPath& path) {
  pts_ += kInterval;
  viewer_.captured = now_;
  if (now_ < paused_until_) {
    return;
  }
  constexpr double kUsed = 0.95;  // x264 stays a little below its target
  const auto wire = app::WireFormat{{}, container_}.transport(kInterval).wire(kUsed * rate_);
  if (std::exchange(recovers_, false)) missing_ = false;
  if (!missing_) queue_.push_back(static_cast<std::size_t>((wire * kInterval).bytes()));
  viewer_.rate = rate_;
  write_queued(path);
  loop_.on_frame();
  if (sample_due()) follow(path, true);
}

void Viewer::write_queued(fuzz::GoodPath& path) {
  while (!queue_.empty() &&
         path.notsent() < std::max(ByteCount{16'384}, rate_ * abr::kMaxUnsentTime)) {
    const auto frame = next_frame(queue_.front(), fuzz::GoodPath::kMss);
    queue_.pop_front();
    sent_.push_back(frame);
    const auto write = [&](std::uint64_t begin, std::uint64_t end) {
      path.write(ByteCount{static_cast<std::int64_t>(end - begin)});
    };
    if (frame.head_end > 0) write(frame.begin, frame.head_end);
    write(std::max(frame.begin, frame.head_end), static_cast<std::uint64_t>(viewer_.sent.bytes()));
  }
  viewer_.queued = {};
  for (const auto size : queue_) viewer_.queued += ByteCount{static_cast<std::int64_t>(size)};
  viewer_.discardable = !queue_.empty();
}

void Viewer::follow(fuzz::GoodPath& path, bool tick) {
  const auto actions = observe(path.info(now_), tick, path.paces());
  path.limit_pacing(actions.pacing);
  if (actions.window > 0 && (setup_ & kSteersWindow) != 0) path.set_window(actions.window);
  if (actions.pause) paused_until_ = now_ + *actions.pause;
  recovers_ |= actions.recover;
  if (!actions.discard) return;
  missing_ = true;
  queue_.clear();
  viewer_.queued = {};
  viewer_.discardable = false;
}

void Viewer::run(fuzz::GoodPath& path, Time until) {
  while (now_ < until) {
    now_ = path.run(until);
    if (!sent_.empty() && sent_.front().head_end > 0 && path.acked() >= sent_.front().head_end &&
        !head_acked_) {
      head_acked_ = now_;
    }
    bool delivered = false;
    while (!sent_.empty() && path.acked() >= sent_.front().last_offset()) {
      deliver(sent_.front(), std::exchange(head_acked_, {}), now_);
      delivered |= sent_.front().marked_end > 0;
      sent_.pop_front();
    }
    write_queued(path);
    if (delivered) follow(path, false);
  }
}

/// The rate is back at 90 % of the maximum within three minutes. It need not be as long as TCP
/// remembers the round trip of a far shorter path (300 s): short frames then seem to take long, and
/// can agree with a capacity that is too low.
void Viewer::recover() {
  fuzz::GoodPath path{tcp_.reading(), tcp_.min_rtt_at(),
                      static_cast<std::uint64_t>(viewer_.sent.bytes()), (setup_ & kBbr) != 0, now_};
  const auto queued = std::exchange(viewer_.queued, {});
  if (queued.bytes() > 0) queue_.push_back(static_cast<std::size_t>(queued.bytes()));
  auto end = std::max(now_, path.forgets_min_rtt()) + 3min;
  if (loop_.path().reader_rate.bps() > 0) end += kReaderMemory;
  while (now_ < end) {
    capture(path);
    const auto next = viewer_.captured + kInterval;
    run(path, next - abr::ControlLoop::kSampleLead);
    if ((setup_ & kShared) == 0 && !sent_.empty()) follow(path, false);
    run(path, next);
    if (is_back()) return;
  }
  CHECK(is_back(), rate_.bps(), limits_.max.bps());
}

}  // namespace

FUZZ_TARGET(policy) {
  const auto kind = kPolicies[input.take<std::uint8_t>() % kPolicies.size()];
  Viewer viewer{kind, input.take<std::uint8_t>()};
  while (!input.empty()) viewer.act(static_cast<Step>(input.take<std::uint8_t>() % kSteps), input);
  viewer.recover();
}
