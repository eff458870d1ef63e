#include "app/segments/session_rate.h"

#include <algorithm>

#include "app/segments/declared.h"

namespace app {

namespace {

// An event is of what is sent now for about so long: a segment of HLS's recommended 6 s, or three
// of ours.
constexpr base::Duration kDuress = std::chrono::seconds{1};
// Sound and pictures are loaded side by side, or one after the other.
constexpr base::Duration kTogether = std::chrono::seconds{1};
constexpr base::Duration kLate = std::chrono::seconds{1};

}  // namespace

abr::Decision SessionRate::hear(LinkId link, const Heard& heard, base::Time now) {
  auto& known = links_[link];
  known.heard = heard;
  if (heard.lost) known.lost_at = now;
  return policy_.decide(carries(), late(), transport_, now);
}

/// Of those that carry at the moment the one that carries more: it has less beside it. One that
/// stands, because its player has asked for more than he reads, says nothing of the path now.
base::BitRate SessionRate::carries() const {
  base::Time newest{};
  for (const auto& [id, link] : links_) newest = std::max(newest, link.heard.measured);
  base::BitRate most;
  for (const auto& [id, link] : links_) {
    if (newest - link.heard.measured < kTogether) most = std::max(most, link.heard.carries);
  }
  return most;
}

base::Duration SessionRate::late() const {
  base::Duration most{};
  for (const auto& [id, link] : links_) most = std::max(most, link.heard.late);
  return most;
}

segments::CmsdDynamic SessionRate::dynamics(LinkId link, base::BitRate sound,
                                            base::Time now) const {
  segments::CmsdDynamic result{.max_suggested = declared_peak(rate() + sound)};
  if (carries().bps() > 0) result.estimated_throughput = carries();
  const auto own = links_.find(link);
  if (own == links_.end()) return result;
  if (own->second.heard.rtt > base::Duration{}) result.round_trip = own->second.heard.rtt;
  const bool lost = own->second.lost_at > base::Time{} && now - own->second.lost_at < kDuress;
  result.duress = lost || late() > kLate;
  return result;
}

}  // namespace app
