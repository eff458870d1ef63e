#include "segments/stand_in.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

namespace segments {

namespace {

constexpr base::Duration kFrameInterval = std::chrono::milliseconds{200};

/// How many frames a stand-in that lasts `length` should have.
std::size_t wanted(media::Packet::Kind kind, base::Duration length) {
  if (kind == media::Packet::Kind::kAudio) return 1;
  return static_cast<std::size_t>(std::max<std::int64_t>(1, length / kFrameInterval));
}

}  // namespace

std::optional<Segment> stand_in(std::uint64_t number, const Segment& next,
                                const SegmentClock& clock, bool at_once) {
  std::vector<media::PacketPtr> frames;
  for (const auto& part : next.parts)
    frames.insert(frames.end(), part->packets().begin(), part->packets().end());
  if (frames.empty()) return {};
  const auto count = wanted(frames.front()->kind, clock.segment);
  if (frames.size() < count && !next.complete && !at_once) return {};
  frames.resize(std::min(frames.size(), count));

  const auto begin = clock.begin(number);
  const auto interval = clock.segment / static_cast<std::int64_t>(frames.size());
  for (auto pts = begin; auto& frame : frames) {
    auto packet = std::make_shared<media::Packet>(*frame);
    packet->pts = pts;
    frame = std::move(packet);
    pts += interval;
  }
  return Segment{
      .number = number,
      .begin = begin,
      .parts = {std::make_shared<const Part>(std::move(frames), clock.begin(number + 1),
                                             number * clock.max_parts() + 1, clock.origin)},
      .complete = true};
}

}  // namespace segments
