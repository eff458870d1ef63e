#include "abr/networks/network_history.h"

#include <algorithm>
#include <cmath>

namespace abr {

namespace {

using namespace std::chrono_literals;
using Record = NetworkHistory::Record;
using Time = NetworkHistory::Time;

constexpr int kIpv4Bits = 24;
constexpr int kIpv6Bits = 48;
// An hour of viewing is what is remembered of a control: of older viewing only a share that falls.
constexpr double kMemory = 3600;
constexpr std::chrono::seconds kHalfLife = 24h;
// A control is known in a network after this many seconds of viewing.
constexpr double kKnown = 30;
// CUBIC has to be better than BBR by this much per second, a tenth of the rate.
constexpr double kMargin = 0.1;
// Viewers with more than this per second, four fifths of the highest rate, miss little.
constexpr double kContent = -0.2;
// Between two trials in a network.
constexpr std::chrono::seconds kTrialInterval = 24h;

std::size_t index(CongestionControl control) { return static_cast<std::size_t>(control); }

double decay(Time since, Time now) {
  const auto passed = std::max(0s, now - since);
  return std::exp2(-static_cast<double>(passed.count()) / static_cast<double>(kHalfLife.count()));
}

bool is_known(const Record& record, double decayed) { return decayed * record.seconds >= kKnown; }

}  // namespace

base::Network NetworkHistory::network_of(const base::Address& client) {
  return base::Network::of(client, client.is_ipv4() ? kIpv4Bits : kIpv6Bits);
}

NetworkHistory::Start NetworkHistory::best(const base::Network& network, Time now) const {
  const auto found = known_.find(network);
  return found == known_.end() ? Start{} : best_of(*found->second, now);
}

NetworkHistory::Start NetworkHistory::best_of(const Entry& entry, Time now) {
  const auto decayed = decay(entry.updated, now);
  const auto& bbr = entry.records[index(CongestionControl::kBbr)];
  const auto& cubic = entry.records[index(CongestionControl::kCubic)];
  const bool bbr_known = is_known(bbr, decayed);
  if (!is_known(cubic, decayed)) {
    return {CongestionControl::kBbr, bbr_known ? Reason::kBest : Reason::kUnknown};
  }
  const bool cubic_is_better = !bbr_known || cubic.quality > bbr.quality + kMargin;
  return {cubic_is_better ? CongestionControl::kCubic : CongestionControl::kBbr, Reason::kBest};
}

NetworkHistory::Start NetworkHistory::start(const base::Network& network, Time now) {
  const auto usual = best(network, now);
  if (usual.reason == Reason::kUnknown) return usual;
  auto& entry = *known_.at(network);
  const auto other = usual.control == CongestionControl::kBbr ? CongestionControl::kCubic
                                                              : CongestionControl::kBbr;
  if (is_known(entry.records[index(other)], decay(entry.updated, now))) return usual;
  if (entry.records[index(usual.control)].quality > kContent) return usual;
  if (now - entry.trial < kTrialInterval) return usual;
  entry.trial = now;
  return {other, Reason::kTrial};
}

void NetworkHistory::add(const base::Network& network, CongestionControl control,
                         const Experience::Sum& sum, Time now) {
  if (sum.seconds <= 0) return;
  auto& entry = newest(network);
  const auto decayed = decay(entry.updated, now);
  for (auto& record : entry.records) record.seconds *= decayed;
  entry.updated = now;
  auto& record = entry.records[index(control)];
  record.seconds = std::min(record.seconds + sum.seconds, kMemory);
  const auto weight = std::min(1.0, sum.seconds / record.seconds);
  record.quality += weight * (sum.quality / sum.seconds - record.quality);
}

NetworkHistory::Entry& NetworkHistory::newest(const base::Network& network) {
  const auto found = known_.find(network);
  if (found != known_.end()) {
    entries_.splice(entries_.begin(), entries_, found->second);
    return entries_.front();
  }
  if (entries_.size() >= capacity_) {
    known_.erase(entries_.back().network);
    entries_.pop_back();
    ++forgotten_;
  }
  entries_.push_front({.network = network});
  known_.emplace(network, entries_.begin());
  return entries_.front();
}

void NetworkHistory::restore(const Entry& entry) {
  if (entries_.size() >= capacity_ || known_.contains(entry.network)) return;
  entries_.push_back(entry);
  known_.emplace(entry.network, std::prev(entries_.end()));
}

const char* name(NetworkHistory::Reason reason) {
  switch (reason) {
    case NetworkHistory::Reason::kUnknown:
      return "unknown";
    case NetworkHistory::Reason::kBest:
      return "best";
    case NetworkHistory::Reason::kTrial:
      return "trial";
  }
  return "";
}

}  // namespace abr
