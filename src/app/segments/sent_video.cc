#include "app/segments/sent_video.h"

#include <span>
#include <utility>

namespace app {

namespace {

using segments::Segment;

// In part durations. A player that stays three of them behind live (RFC 8216bis, PART-HOLD-BACK)
// needs the beginning of a part when the part has been complete for two. With three, players stood
// still again when a link fell to a fifth: just after a fall, the rate known is still too high.
constexpr int kLateParts = 2;
// A part takes up to this many times as long as expected to load, because the player loads audio
// too, and the path may still become slower.
constexpr int kLoadFactor = 2;

base::ByteCount size_of(const segments::Part& part) {
  return base::ByteCount{static_cast<std::int64_t>(part.bytes().size())};
}

}  // namespace

bool SentVideo::is_live(const segments::Part& part, base::BitRate carries, base::Time now) const {
  if (now - part.captured() <= kLiveParts * part_) return true;
  return live_ && now - sent_at_ <= kLoadFactor * (size_ / carries) + part_;
}

SentVideo::Next SentVideo::next(const Segment& segment, std::size_t index,
                                const BeingMade& being_made, std::optional<base::BitRate> carries,
                                base::Time now) {
  const auto rate = carries.value_or(base::BitRate{});
  Next next{segment.parts[index]};
  auto& part = next.part;
  live_ = rate.bps() > 0 && is_live(*part, rate, now);
  const auto gap = std::exchange(gap_, std::nullopt);
  if (gap && gap->has(part->packets().front()->number)) {
    if (auto after = segments::without(part, *gap)) part = std::move(after);
  }
  if (live_ && is_late(*part, rate, now)) {
    auto rest = segment;
    rest.parts[index] = part;
    next.gap = gap_ = segments::longest_gap(rest, index, being_made());
    if (gap_) part = segments::without(part, *gap_);
  }
  last_ = {segment.number, index};
  sent_at_ = now;
  size_ = size_of(*part);
  return next;
}

/// The part would take longer to load than it lasts, and arrive late.
bool SentVideo::is_late(const segments::Part& part, base::BitRate carries, base::Time now) const {
  const auto takes = size_of(part) / carries;
  return takes > part.duration() && now - part.captured() + takes > kLateParts * part_;
}

std::optional<std::uint64_t> SentVideo::lost(const Unsent& unsent, base::BitRate carries) const {
  if (!live_ || carries.bps() <= 0 || unsent.being_made.empty()) return {};
  base::ByteCount needed;
  const auto add = [&](std::span<const media::PacketPtr> packets) {
    for (const auto& packet : packets) {
      if (packet->keyframe || packet->recovers_from) needed = {};
      needed += base::ByteCount{static_cast<std::int64_t>(packet->unit.size())};
    }
  };
  for (const auto& part : unsent.parts) add(part->packets());
  add(unsent.being_made);
  if (needed / carries <= part_) return {};
  // Each part keeps its first frame. The recovery frame comes into the part being made.
  const auto& first =
      unsent.parts.empty() ? unsent.being_made.front() : unsent.parts.back()->packets().front();
  return first->number + 1;
}

}  // namespace app
