#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <utility>

#include "base/units.h"
#include "netlab/flow_queues.h"

namespace netlab {

/// How one direction of a path treats packets. Rates and sizes count whole IP packets.
struct LinkSettings {
  base::BitRate rate{};            ///< 0 means no limit
  base::Duration delay{};          ///< one way, after transmission
  base::Duration jitter{};         ///< added to the delay, uniform in [0, jitter], order kept
  base::Duration aggregate{};      ///< packets arrive in batches, one per this time
  base::ByteCount queue{1 << 20};  ///< drop-tail, the packet being transmitted included
  bool codel = false;              ///< the queue is managed by CoDel (RFC 8289)
  /// A queue for each flow, served in turn, all within `queue`; with `codel`, FQ-CoDel (RFC 8290).
  bool fair = false;
  /// Size of a token bucket that fills at `rate`; while it has tokens, packets leave at `peak`. 0
  /// means no token bucket.
  base::ByteCount bucket{};
  base::BitRate peak{};    ///< with a token bucket; 0 means no limit
  double loss = 0;         ///< probability for each packet on its own
  double burst_enter = 0;  ///< Gilbert: probability that a burst begins at a packet
  double burst_leave = 1;  ///< that it ends; its mean length is 1/burst_leave packets
  /// A burst also ends after this time; a sender that is down to one packet per retransmission
  /// timeout would stay in it for seconds. 0 means no limit.
  base::Duration burst_time{};
  bool blackhole = false;  ///< every packet that leaves the queue is lost
};

struct LinkCounters {
  std::uint64_t packets_in = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t packets_out = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t dropped_queue = 0;  ///< queue full
  std::uint64_t dropped_codel = 0;
  std::uint64_t dropped_loss = 0;
  std::uint64_t dropped_burst = 0;
  std::uint64_t dropped_blackhole = 0;
  std::uint64_t late = 0;  ///< fetched more than kMaxFetchDelay after arrival
  base::ByteCount queue_high_water;
};

/// One direction of a path. No clock, no I/O; `now` never goes back. Transmission is computed in
/// virtual time, so a late caller delays single packets but never changes the rate.
///
///   enqueue -> [ queue ] -> transmitter (rate) -> wire (loss, delay, jitter) -> dequeue
///
/// `Packet` is movable. Declared next to it are size_of(packet), its base::ByteCount, and
/// flow_of(packet), a number for each connection. The emulator's packets hold bytes, the
/// simulator's only describe them.
template <typename Packet>
class Link {
 public:
  /// Four times the p95 lateness of the emulator's timers on an idle machine (README.md).
  static constexpr base::Duration kMaxFetchDelay = std::chrono::milliseconds{2};

  Link(const LinkSettings& settings, std::uint64_t seed) : settings_{settings}, random_{seed} {}

  /// Applies from `now` on; a packet in transmission is finished at the new rate.
  void set(const LinkSettings& settings, base::Time now);
  const LinkSettings& settings() const { return settings_; }

  void enqueue(Packet packet, base::Time now);
  /// The oldest packet that has arrived at the far end, if any.
  std::optional<Packet> dequeue(base::Time now);
  /// No packet arrives before this time; nullopt if none is on the way.
  std::optional<base::Time> next_arrival() const;

  const LinkCounters& counters() const { return counters_; }
  base::ByteCount queued() const { return queues_.bytes(); }

 private:
  struct InFlight {
    base::Time arrival;
    Packet packet;
  };

  static std::int64_t work_of(const Packet& packet) { return size_of(packet).bits() * kNano; }
  base::BitRate speed() const {
    return settings_.bucket.bytes() > 0 ? settings_.peak : settings_.rate;
  }
  base::Time head_finish() const;
  void begin_head();
  void fill_bucket(base::Duration time);
  void transmit_until(base::Time now);
  void propagate(Packet packet, base::Time sent);
  std::uint64_t* cause_of_loss(base::Time sent);
  void enter_or_leave_burst(base::Time sent);
  bool chance(double probability);

  static constexpr std::int64_t kNano = 1'000'000'000;

  LinkSettings settings_;
  std::mt19937_64 random_;
  LinkCounters counters_;
  std::optional<base::Time> burst_since_;  // nullopt outside a burst
  FlowQueues<Packet> queues_;              // the chosen packet is being transmitted
  base::Time transmitter_clock_{};         // up to when transmission has been accounted
  std::int64_t head_work_ = 0;  // rest of the front packet, in bits * 1e9: exact for any rate
  double tokens_ = 0;           // bits, at transmitter_clock_
  std::deque<InFlight> wire_;
  base::Time last_arrival_{};
};

template <typename Packet>
void Link<Packet>::set(const LinkSettings& settings, base::Time now) {
  transmit_until(now);
  // With a token bucket the front packet may still have been waiting; it then starts again.
  const bool transmitting = !queues_.empty() && settings_.bucket.bytes() == 0;
  if (transmitting) head_work_ -= speed().bps() * (now - transmitter_clock_).count();
  fill_bucket(now - transmitter_clock_);
  transmitter_clock_ = now;
  settings_ = settings;
}

template <typename Packet>
void Link<Packet>::enqueue(Packet packet, base::Time now) {
  transmit_until(now);
  ++counters_.packets_in;
  const base::ByteCount size = size_of(packet);
  counters_.bytes_in += static_cast<std::uint64_t>(size.bytes());
  const bool idle = queues_.empty();
  if (!idle && !settings_.fair && queues_.bytes() + size > settings_.queue) {
    ++counters_.dropped_queue;
    return;
  }
  queues_.push(settings_.fair ? flow_of(packet) : 0, std::move(packet), now);
  for (; settings_.fair && !idle && queues_.bytes() > settings_.queue; ++counters_.dropped_queue) {
    queues_.drop_from_longest();
  }
  counters_.queue_high_water = std::max(counters_.queue_high_water, queues_.bytes());
  if (idle) {
    fill_bucket(now - transmitter_clock_);
    transmitter_clock_ = now;
    begin_head();
  }
  transmit_until(now);
}

template <typename Packet>
std::optional<Packet> Link<Packet>::dequeue(base::Time now) {
  transmit_until(now);
  if (wire_.empty() || wire_.front().arrival > now) return std::nullopt;
  counters_.late += now - wire_.front().arrival > kMaxFetchDelay;
  Packet packet = std::move(wire_.front().packet);
  wire_.pop_front();
  ++counters_.packets_out;
  counters_.bytes_out += static_cast<std::uint64_t>(size_of(packet).bytes());
  return packet;
}

template <typename Packet>
std::optional<base::Time> Link<Packet>::next_arrival() const {
  if (!wire_.empty()) return wire_.front().arrival;
  if (!queues_.empty()) return head_finish() + settings_.delay;
  return std::nullopt;
}

template <typename Packet>
base::Time Link<Packet>::head_finish() const {
  base::Time begin = transmitter_clock_;
  if (settings_.bucket.bytes() > 0) {
    const double missing = static_cast<double>(size_of(*queues_.chosen()).bits()) - tokens_;
    const double rate = static_cast<double>(std::max<std::int64_t>(1, settings_.rate.bps()));
    if (missing > 0) begin += base::from_seconds(missing / rate);
  }
  const std::int64_t bps = speed().bps();
  if (bps <= 0) return begin;
  return begin + base::Duration{(head_work_ + bps - 1) / bps};
}

template <typename Packet>
void Link<Packet>::transmit_until(base::Time now) {
  while (!queues_.empty()) {
    const base::Time finish = head_finish();
    if (finish > now) return;
    fill_bucket(finish - transmitter_clock_);
    transmitter_clock_ = finish;
    Packet packet = queues_.take();
    tokens_ = std::max(0.0, tokens_ - static_cast<double>(size_of(packet).bits()));
    begin_head();
    propagate(std::move(packet), transmitter_clock_);
  }
}

template <typename Packet>
void Link<Packet>::begin_head() {
  counters_.dropped_codel += queues_.choose(settings_.codel, transmitter_clock_);
  head_work_ = queues_.empty() ? 0 : work_of(*queues_.chosen());
}

template <typename Packet>
void Link<Packet>::fill_bucket(base::Duration time) {
  const auto size = static_cast<double>(settings_.bucket.bits());
  tokens_ =
      std::min(size, tokens_ + static_cast<double>(settings_.rate.bps()) * base::seconds(time));
}

template <typename Packet>
void Link<Packet>::propagate(Packet packet, base::Time sent) {
  if (std::uint64_t* cause = cause_of_loss(sent)) {
    ++*cause;
    return;
  }
  base::Time arrival = sent + settings_.delay;
  if (settings_.jitter.count() > 0) {
    arrival += base::Duration{
        std::uniform_int_distribution<std::int64_t>{0, settings_.jitter.count()}(random_)};
  }
  if (const auto slot = settings_.aggregate.count(); slot > 0) {
    arrival =
        base::Time{base::Duration{(arrival.time_since_epoch().count() + slot - 1) / slot * slot}};
  }
  last_arrival_ = std::max(last_arrival_, arrival);
  wire_.push_back({last_arrival_, std::move(packet)});
}

template <typename Packet>
std::uint64_t* Link<Packet>::cause_of_loss(base::Time sent) {
  if (settings_.blackhole) return &counters_.dropped_blackhole;
  enter_or_leave_burst(sent);
  if (burst_since_) return &counters_.dropped_burst;
  return chance(settings_.loss) ? &counters_.dropped_loss : nullptr;
}

template <typename Packet>
void Link<Packet>::enter_or_leave_burst(base::Time sent) {
  const base::Duration limit = settings_.burst_time;
  if (!burst_since_) {
    if (chance(settings_.burst_enter)) burst_since_ = sent;
  } else if (chance(settings_.burst_leave) || (limit.count() > 0 && sent - *burst_since_ > limit)) {
    burst_since_.reset();
  }
}

template <typename Packet>
bool Link<Packet>::chance(double probability) {
  if (probability <= 0) return false;
  return std::uniform_real_distribution<double>{0, 1}(random_) < probability;
}

}  // namespace netlab
