#include "segments/gap.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace segments {

namespace {

/// The first frame that a player of `packet` can do without. nullopt if it needs all frames.
std::optional<std::uint64_t> needless_from(const media::Packet& packet) {
  return packet.keyframe ? std::uint64_t{0} : packet.recovers_from;
}

}  // namespace

std::optional<Gap> longest_gap(const Segment& segment, std::size_t index,
                               std::span<const media::PacketPtr> being_made) {
  const auto packets = segment.parts[index]->packets();
  const auto begin = packets.front()->number + 1;
  std::optional<Gap> longest;
  const auto consider = [&](std::uint64_t needless_from, std::uint64_t next) {
    const Gap gap{std::max(begin, needless_from), next};
    const bool leaves_out =
        std::ranges::any_of(packets, [&](const auto& packet) { return gap.has(packet->number); });
    if (leaves_out && (!longest || gap.next - gap.first > longest->next - longest->first)) {
      longest = gap;
    }
  };
  const auto consider_all = [&](std::span<const media::PacketPtr> later) {
    for (const auto& packet : later) {
      if (const auto from = needless_from(*packet)) consider(*from, packet->number);
    }
  };
  consider_all(packets.subspan(1));
  if (index + 1 < segment.parts.size()) {
    consider_all(segment.parts[index + 1]->packets());
  } else if (segment.complete) {
    consider(0, packets.back()->number + 1);  // the next segment begins with a keyframe
  } else if (!being_made.empty() && being_made.front()->pts == segment.parts[index]->end()) {
    consider_all(being_made);
  }
  return longest;
}

PartPtr without(const PartPtr& part, const Gap& gap) {
  std::vector<media::PacketPtr> kept;
  for (const auto& packet : part->packets()) {
    if (!gap.has(packet->number)) kept.push_back(packet);
  }
  if (kept.empty()) return nullptr;
  if (kept.size() == part->packets().size()) return part;
  if (kept.front()->pts != part->begin()) {
    auto first = std::make_shared<media::Packet>(*kept.front());
    first->pts = part->begin();
    kept.front() = std::move(first);
  }
  return part->with(std::move(kept));
}

}  // namespace segments
