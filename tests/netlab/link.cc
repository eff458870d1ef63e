#include "netlab/link.h"

#include <algorithm>
#include <utility>

namespace netlab {
namespace {

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

std::int64_t work_of(const Link::Packet& packet) {
  return static_cast<std::int64_t>(packet.size()) * 8 * kNanosecondsPerSecond;
}

base::ByteCount size_of(const Link::Packet& packet) {
  return base::ByteCount{static_cast<std::int64_t>(packet.size())};
}

}  // namespace

Link::Link(const LinkSettings& settings, std::uint64_t seed) : settings_{settings}, random_{seed} {}

void Link::set(const LinkSettings& settings, base::Time now) {
  transmit_until(now);
  if (!waiting_.empty()) {
    head_work_ -= settings_.rate.bps() * (now - transmitter_clock_).count();
    transmitter_clock_ = now;
  }
  settings_ = settings;
}

void Link::enqueue(Packet packet, base::Time now) {
  transmit_until(now);
  ++counters_.packets_in;
  counters_.bytes_in += packet.size();
  const base::ByteCount size = size_of(packet);
  if (!waiting_.empty() && queued_ + size > settings_.queue) {
    ++counters_.dropped_queue;
    return;
  }
  if (waiting_.empty()) {
    transmitter_clock_ = now;
    head_work_ = work_of(packet);
  }
  queued_ += size;
  counters_.queue_high_water = std::max(counters_.queue_high_water, queued_);
  waiting_.push_back(std::move(packet));
  transmit_until(now);
}

std::optional<Link::Packet> Link::dequeue(base::Time now) {
  transmit_until(now);
  if (wire_.empty() || wire_.front().arrival > now) return std::nullopt;
  Packet packet = std::move(wire_.front().packet);
  wire_.pop_front();
  ++counters_.packets_out;
  counters_.bytes_out += packet.size();
  return packet;
}

std::optional<base::Time> Link::next_arrival() const {
  if (!wire_.empty()) return wire_.front().arrival;
  if (!waiting_.empty()) return head_finish() + settings_.delay;
  return std::nullopt;
}

base::Time Link::head_finish() const {
  const std::int64_t rate = settings_.rate.bps();
  if (rate <= 0) return transmitter_clock_;
  return transmitter_clock_ + base::Duration{(head_work_ + rate - 1) / rate};
}

void Link::transmit_until(base::Time now) {
  while (!waiting_.empty() && head_finish() <= now) {
    transmitter_clock_ = head_finish();
    Packet packet = std::move(waiting_.front());
    waiting_.pop_front();
    queued_ -= size_of(packet);
    head_work_ = waiting_.empty() ? 0 : work_of(waiting_.front());
    propagate(std::move(packet), transmitter_clock_);
  }
}

void Link::propagate(Packet packet, base::Time sent) {
  if (std::uint64_t* cause = cause_of_loss()) {
    ++*cause;
    return;
  }
  base::Time arrival = sent + settings_.delay;
  if (settings_.jitter.count() > 0) {
    arrival += base::Duration{
        std::uniform_int_distribution<std::int64_t>{0, settings_.jitter.count()}(random_)};
  }
  last_arrival_ = std::max(last_arrival_, arrival);
  wire_.push_back({last_arrival_, std::move(packet)});
}

std::uint64_t* Link::cause_of_loss() {
  if (settings_.blackhole) return &counters_.dropped_blackhole;
  if (in_burst_) {
    in_burst_ = !chance(settings_.burst_leave);
  } else {
    in_burst_ = chance(settings_.burst_enter);
  }
  if (in_burst_) return &counters_.dropped_burst;
  return chance(settings_.loss) ? &counters_.dropped_loss : nullptr;
}

bool Link::chance(double probability) {
  if (probability <= 0) return false;
  return std::uniform_real_distribution<double>{0, 1}(random_) < probability;
}

}  // namespace netlab
