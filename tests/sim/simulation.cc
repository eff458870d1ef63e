#include "simulation.h"

#include <algorithm>

namespace sim {

namespace {

// A bulk flow always keeps this much unsent; once it stops, it sends no more than that.
constexpr base::ByteCount kBulkChunk{1 << 16};
// Standard deviation of the logarithm of a page's size.
constexpr double kPageSpread = 1;

netlab::LinkSettings with_delay(netlab::LinkSettings settings, base::Duration delay) {
  settings.delay = delay;
  return settings;
}

}  // namespace

Simulation::Simulation(const netlab::LinkSettings& bottleneck, std::vector<Change> schedule,
                       const std::vector<Flow>& flows, std::uint64_t seed)
    : bottleneck_{with_delay(bottleneck, {}), seed}, schedule_{std::move(schedule)}, seed_{seed} {
  running_.reserve(flows.size());
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const Flow& flow = flows[i];
    running_.push_back(
        {flow, TcpSender{i, make_congestion_control(flow.congestion_control, TcpSender::kMss)},
         TcpReceiver{i, flow.eager},
         netlab::Link<Ack>{with_delay(flow.acks, flow.round_trip), seed + i + 1},
         std::mt19937_64{~seed + i}});
  }
}

void Simulation::run(base::Duration length) {
  for (base::Time next = next_time(); next <= kStart + length; next = next_time()) step(next);
}

base::Time Simulation::next_time() const {
  base::Time next = base::Time::max();
  const auto consider = [&](std::optional<base::Time> time) {
    if (time) next = std::min(next, *time);
  };
  consider(bottleneck_.next_arrival());
  if (changed_ < schedule_.size()) consider(kStart + schedule_[changed_].at);
  for (const auto& flow : running_) {
    if (!flow.started) {
      consider(kStart + flow.settings.start);
      continue;
    }
    consider(flow.back.next_arrival());
    consider(flow.sender.timer());
    consider(flow.receiver.timer());
    if (flow.session) consider(flow.session->next_time());
    consider(flow.next_page);
  }
  return next;
}

void Simulation::step(base::Time now) {
  for (; changed_ < schedule_.size() && kStart + schedule_[changed_].at <= now; ++changed_) {
    bottleneck_.set(with_delay(schedule_[changed_].settings, {}), now);
  }
  while (const auto segment = bottleneck_.dequeue(now)) deliver(*segment, now);
  for (std::size_t i = 0; i < running_.size(); ++i) step(i, now);
}

void Simulation::deliver(const Segment& segment, base::Time now) {
  Running& flow = running_[segment.flow];
  if (const auto ack = flow.receiver.receive(segment, now)) flow.back.enqueue(*ack, now);
  if (flow.session) flow.session->on_arrival(flow.receiver.cumulative(), now);
}

void Simulation::step(std::size_t index, base::Time now) {
  Running& flow = running_[index];
  if (!flow.started && kStart + flow.settings.start <= now) start(index, now);
  if (!flow.started) return;
  if (flow.receiver.timer() && *flow.receiver.timer() <= now) {
    flow.back.enqueue(flow.receiver.on_timer(), now);
  }
  const bool told = tell_sender(flow, now);
  if (!flow.session) {
    feed_bulk(flow, now);
  } else {
    if (told) flow.session->on_tcp(now);
    if (flow.session->next_time() <= now) flow.session->on_time(now);
  }
  send(flow, now);
}

/// Returns whether the sender has received an ACK or a timer has expired.
bool Simulation::tell_sender(Running& flow, base::Time now) {
  bool told = false;
  while (const auto ack = flow.back.dequeue(now)) {
    flow.sender.on_ack(*ack, now);
    told = true;
  }
  if (flow.sender.timer() && *flow.sender.timer() <= now) {
    flow.sender.on_timer(now);
    told = true;
  }
  return told;
}

void Simulation::send(Running& flow, base::Time now) {
  while (const auto segment = flow.sender.send(now)) bottleneck_.enqueue(*segment, now);
}

void Simulation::start(std::size_t index, base::Time now) {
  Running& flow = running_[index];
  flow.started = true;
  if (!flow.settings.video) return;
  flow.session =
      std::make_unique<VideoSession>(*flow.settings.video, flow.sender, now, seed_ * 31 + index,
                                     [this, &flow](base::Time at) { send(flow, at); });
}

void Simulation::feed_bulk(Running& flow, base::Time now) {
  if (now - kStart >= flow.settings.stop) {
    flow.next_page.reset();
    return;
  }
  if (flow.settings.web) return load_pages(flow, now);
  if (flow.sender.notsent() < kBulkChunk) flow.sender.write(kBulkChunk);
}

void Simulation::load_pages(Running& flow, base::Time now) {
  const auto& [size, pause] = *flow.settings.web;
  if (!flow.next_page) {
    if (flow.sender.notsent().bytes() > 0 || flow.sender.in_flight().bytes() > 0) return;
    std::exponential_distribution<> seconds{1 / base::seconds(pause)};
    flow.next_page = now + base::from_seconds(seconds(flow.random));
  } else if (now >= *flow.next_page) {
    flow.next_page.reset();
    std::lognormal_distribution<> share{0, kPageSpread};
    flow.sender.begin_again(
        make_congestion_control(flow.settings.congestion_control, TcpSender::kMss));
    flow.sender.write(base::ByteCount{
        static_cast<std::int64_t>(share(flow.random) * static_cast<double>(size.bytes()))});
  }
}

}  // namespace sim
