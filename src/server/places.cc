#include "server/places.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace server {

namespace {

// The shortest time between two looks at all places, of which 10,000 take about a millisecond. With
// a longer one, newcomers are refused although somebody's time is over.
constexpr base::Duration kLookInterval = std::chrono::milliseconds{100};
// An address loses a fresh place to a newcomer whose own has fewer unearned places by this number.
// With 1, two newcomers would take the same place from each other in turn.
constexpr int kUnfair = 2;

}  // namespace

const char* name(Places::Full full) { return full == Places::Full::kInAll ? "in_all" : "address"; }

void Places::Place::took(base::ByteCount media, base::Time now) {
  if (!claim_) return;
  claim_->taken += media.bytes();
  const auto rate = places_->rate_;
  const auto gain = media < rate * claim_->lasts ? media / rate : claim_->lasts;
  const auto from = std::max(claim_->earned_until.load(), now);
  claim_->earned_until = std::min(from + gain, now + claim_->lasts);
}

std::variant<Places::Place, Places::Full> Places::take(const Address& address, base::Time now,
                                                       base::Duration earned_for) {
  std::lock_guard lock{mutex_};
  const auto refuse = [&](Full full) {
    auto& count = state_.refused[static_cast<std::size_t>(full)];
    ++count.times;
    count.last = address;
    return full;
  };
  if (const auto block = counts_.full(address)) {
    const auto claim = victim_in(*block, now);
    if (!claim) return refuse(Full::kFromAddress);
    evict(claim, Full::kFromAddress);
  }
  if (claims_.size() >= static_cast<std::size_t>(in_all_)) {
    const auto claim = victim(address, now);
    if (!claim) return refuse(Full::kInAll);
    evict(claim, Full::kInAll);
  }
  auto claim = std::make_shared<Claim>(address, now, earned_for);
  claim->index = claims_.size();
  claims_.push_back(claim);
  counts_.add(address);
  if (looked_ && now - *looked_ < kLookInterval) ++unearned(address);
  return Place{this, std::move(claim)};
}

/// Addresses of proxies stand for many clients: their claims count as those of different addresses.
int& Places::unearned(const Address& address) {
  if (counts_.is_proxy(address)) return unearned_of_proxy_ = 0;
  return unearned_[AddressBlock::largest(address)];
}

Places::ClaimPtr Places::victim_in(const AddressBlock& block, base::Time now) {
  look(now);
  if (without_room_.contains(block)) return nullptr;
  const Candidate* first = nullptr;
  for (const auto& candidate : settled_) {
    const auto& claim = *candidate.claim;
    if (!claim.held || claim.earned(now) || !block.contains(claim.address)) continue;
    if (first == nullptr || goes_later(*first, candidate)) first = &candidate;
  }
  if (first != nullptr) return first->claim;
  without_room_.insert(block);
  return nullptr;
}

Places::ClaimPtr Places::victim(const Address& newcomer, base::Time now) {
  look(now);
  const auto next = [&](std::vector<Candidate>& candidates, const auto& later) {
    std::ranges::pop_heap(candidates, later);
    auto candidate = std::move(candidates.back());
    candidates.pop_back();
    if (!candidate.claim->held || candidate.claim->earned(now)) candidate.claim = nullptr;
    return candidate;
  };
  while (!settled_.empty()) {
    if (auto candidate = next(settled_, goes_later); candidate.claim) return candidate.claim;
  }
  const int fair = unearned(newcomer) + kUnfair;
  while (!fresh_.empty() && fresh_.front().at_look >= fair) {
    const auto candidate = next(fresh_, is_of_fewer);
    if (candidate.claim && *candidate.of_address >= fair) return candidate.claim;
  }
  return nullptr;
}

/// Of settled claims, the one that has taken least goes first, and of equal ones that of the
/// address with most, or the oldest.
bool Places::goes_later(const Candidate& a, const Candidate& b) {
  const auto key = [](const Candidate& c) {
    return std::tuple{c.taken, -c.at_look, c.claim->since};
  };
  return key(a) > key(b);
}

/// Of fresh claims, the newest one of the address with most goes first.
bool Places::is_of_fewer(const Candidate& a, const Candidate& b) {
  return std::pair{a.at_look, a.claim->since} < std::pair{b.at_look, b.claim->since};
}

void Places::look(base::Time now) {
  if (looked_ && now - *looked_ < kLookInterval) return;
  looked_ = now;
  unearned_.clear();
  settled_.clear();
  fresh_.clear();
  without_room_.clear();
  for (const auto& claim : claims_) {
    if (claim->earned(now)) continue;
    int& of_address = unearned(claim->address);
    ++of_address;
    auto& candidates = now - claim->since < kFirstTime ? fresh_ : settled_;
    candidates.push_back({claim, &of_address, 0, claim->taken});
  }
  for (auto* candidates : {&settled_, &fresh_}) {
    for (auto& candidate : *candidates) candidate.at_look = *candidate.of_address;
  }
  std::ranges::make_heap(settled_, goes_later);
  std::ranges::make_heap(fresh_, is_of_fewer);
}

void Places::evict(const ClaimPtr& claim, Full full) {
  auto& count = state_.evicted[static_cast<std::size_t>(full)];
  ++count.times;
  count.last = claim->address;
  --unearned(claim->address);
  claim->lost = true;
  remove(*claim);
}

void Places::remove(Claim& claim) {
  claims_.back()->index = claim.index;
  std::swap(claims_[claim.index], claims_.back());
  const auto last = std::exchange(claims_.back(), nullptr);  // may be the only owner
  claims_.pop_back();
  claim.held = false;
  counts_.remove(claim.address);
}

void Places::give_back(Claim& claim) {
  std::lock_guard lock{mutex_};
  if (claim.held) remove(claim);
}

}  // namespace server
