#include "app/segments/encode_turns.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace app {

namespace {

// A player that asks for each segment has its share of each; one that comes back after some
// segments is a newcomer again. A longer time remembers a burst for longer.
constexpr base::Duration kHalfLife = std::chrono::seconds{30};
// A second decays to this in 5 minutes.
constexpr double kForgottenSeconds = 1e-3;
// A more expensive segment raises the expected cost at once; a cheaper one lowers it by this share
// of the difference, because the next request may repeat the expensive one.
constexpr double kCostDecay = 0.1;

}  // namespace

double EncodeTurns::Used::value(base::Time now) const {
  return seconds * std::exp2(-base::seconds(now - at) / base::seconds(kHalfLife));
}

void EncodeTurns::Used::add(base::Duration amount, base::Time now) {
  seconds = std::max(0.0, value(now) + base::seconds(amount));
  at = now;
}

void EncodeTurns::earn(base::Time now) {
  credit_ += std::chrono::duration_cast<base::Duration>(cpus_ * (now - credited_));
  credit_ = std::min(credit_, kMaxCredit);
  credited_ = now;
}

void EncodeTurns::charge(const Asker& asker, base::Duration amount, base::Time now) {
  by_address_[asker.address].add(amount, now);
  by_session_[asker.session].add(amount, now);
}

double EncodeTurns::used(const Asker& asker, base::Time now) const {
  const auto found = by_address_.find(asker.address);
  return found == by_address_.end() ? 0 : found->second.value(now);
}

double EncodeTurns::used_by_session(const Asker& asker, base::Time now) const {
  const auto found = by_session_.find(asker.session);
  return found == by_session_.end() ? 0 : found->second.value(now);
}

EncodeTurns::Claims EncodeTurns::claims(base::Time now) const {
  Claims claims;
  for (const auto& [id, turn] : waiting_) {
    auto& of_address = claims.of_address[turn.asker.address];
    if (of_address.waiting++ == 0) of_address.used = used(turn.asker, now);
    auto& of_session = claims.of_session[turn.asker.session];
    if (of_session.waiting++ == 0) of_session.used = used_by_session(turn.asker, now);
  }
  return claims;
}

/// How many of the other's turns come before one of somebody who has used `used` seconds.
double EncodeTurns::turns_before(double used, const Claim& other) const {
  if (other.used > used) return 0;
  const double until_equal = std::floor((used - other.used) / base::seconds(cost_)) + 1;
  return std::min(until_equal, static_cast<double>(other.waiting));
}

/// How many turns come before one that `asker` would get now.
double EncodeTurns::ahead(const Asker& asker, const Claims& claims, base::Time now) const {
  const double cost = base::seconds(cost_);
  double own = 0;
  double of_address = 0;
  std::map<std::uint64_t, Claim> neighbours;
  for (const auto& [id, turn] : waiting_) {
    if (turn.asker.session == asker.session) {
      ++own;
    } else if (turn.asker.address == asker.address) {
      neighbours[turn.asker.session] = claims.of_session.at(turn.asker.session);
    }
  }
  const double session_used = used_by_session(asker, now) + own * cost;
  for (const auto& [session, claim] : neighbours) of_address += turns_before(session_used, claim);
  double sum = own + of_address;
  const double address_used = used(asker, now) + sum * cost;
  for (const auto& [address, claim] : claims.of_address) {
    if (address != asker.address) sum += turns_before(address_used, claim);
  }
  return sum;
}

/// Takes the place of the one that comes last, unless `asker` would come last: returns nullopt
/// then.
std::optional<EncodeTurns::Id> EncodeTurns::displace(const Asker& asker, const Claims& claims,
                                                     base::Time now) {
  const auto due = [&](const Claim& claim, bool more) {
    const auto turns = static_cast<double>(claim.waiting + (more ? 1 : 0));
    return claim.used + turns * base::seconds(cost_);
  };
  const auto rank = [&](const auto& one) {
    const auto& held = one.second.asker;
    return std::tuple{due(claims.of_address.at(held.address), held.address == asker.address),
                      due(claims.of_session.at(held.session), held.session == asker.session),
                      one.first};
  };
  const auto last = std::ranges::max_element(waiting_, {}, rank);
  const auto own_address = claims.of_address.find(asker.address);
  const auto own_session = claims.of_session.find(asker.session);
  const Claim address{own_address == claims.of_address.end() ? 0 : own_address->second.waiting,
                      used(asker, now)};
  const Claim session{own_session == claims.of_session.end() ? 0 : own_session->second.waiting,
                      used_by_session(asker, now)};
  const auto [of_address, of_session, id] = rank(*last);
  if (std::pair{due(address, true), due(session, true)} >= std::pair{of_address, of_session}) {
    return {};
  }
  waiting_.erase(last);
  return id;
}

EncodeTurns::Verdict EncodeTurns::ask(Id id, const Asker& asker, base::Time now) {
  earn(now);
  const auto claims = this->claims(now);
  const auto turns = ahead(asker, claims, now) + (encoding_ ? 1 : 0);
  const double missing = turns * base::seconds(cost_) - base::seconds(credit_);
  if (missing > cpus_ * base::seconds(kMaxWait)) return {};
  Verdict verdict{.accepted = true, .displaced = {}};
  if (waiting_.size() >= kMaxWaiting) {
    verdict.displaced = displace(asker, claims, now);
    if (!verdict.displaced) return {};
  }
  waiting_.emplace(id, Turn{.asker = asker, .asked = now, .renewed = now});
  return verdict;
}

bool EncodeTurns::renew(Id id, base::Time now) {
  const auto turn = waiting_.find(id);
  if (turn == waiting_.end()) return true;  // it is being encoded
  turn->second.renewed = now;
  if (now - turn->second.asked < kMaxWait) return true;
  waiting_.erase(turn);
  return false;
}

std::vector<EncodeTurns::Id> EncodeTurns::take_abandoned(base::Time now) {
  std::vector<Id> result;
  std::erase_if(waiting_, [&](const auto& one) {
    const bool abandoned = now - one.second.renewed >= kAbandonedAfter;
    if (abandoned) result.push_back(one.first);
    return abandoned;
  });
  const auto forgotten = [&](const auto& one) { return one.second.value(now) < kForgottenSeconds; };
  std::erase_if(by_address_, forgotten);
  std::erase_if(by_session_, forgotten);
  return result;
}

std::optional<EncodeTurns::Id> EncodeTurns::take(base::Time now) {
  earn(now);
  if (waiting_.empty() || credit_ <= base::Duration::zero()) return {};
  const auto first = std::ranges::min_element(waiting_, {}, [&](const auto& one) {
    const auto& asker = one.second.asker;
    return std::tuple{used(asker, now), used_by_session(asker, now), one.first};
  });
  const Id id = first->first;
  encoding_ = first->second;
  waiting_.erase(first);
  reserved_ = cost_;
  charge(encoding_->asker, reserved_, now);
  return id;
}

void EncodeTurns::finish(base::Duration cpu, base::Time now) {
  earn(now);
  credit_ -= cpu;
  cost_ = std::max(cpu, cost_ + std::chrono::round<base::Duration>(kCostDecay * (cpu - cost_)));
  charge(encoding_->asker, cpu - reserved_, now);
  encoding_.reset();
}

base::Duration EncodeTurns::until_credit(base::Time now) {
  earn(now);
  if (credit_ > base::Duration::zero()) return {};
  return base::from_seconds(base::seconds(-credit_) / cpus_) + std::chrono::milliseconds{1};
}

}  // namespace app
