#include "segments/track.h"

#include <algorithm>
#include <utility>

#include "media/mp4.h"

namespace segments {

bool Part::independent() const {
  const media::Packet& first = *packets_.front();
  return first.kind == media::Packet::Kind::kAudio || first.keyframe;
}

std::span<const std::uint8_t> Part::bytes() const {
  return bytes_.get([this] { return media::mp4_chunk(packets_, end_, sequence_, origin_); });
}

Segment with(Segment segment, std::span<const media::PacketPtr> packets, std::uint64_t init) {
  segment.headers = packets.front()->headers;
  segment.init = init;
  segment.rate = packets.front()->rate;
  for (auto& part : segment.parts) {
    const auto own = packets.first(part->packets().size());
    packets = packets.subspan(own.size());
    part = part->with({own.begin(), own.end()});
  }
  return segment;
}

bool Track::push(const media::PacketPtr& packet, std::uint64_t init) {
  const auto number = clock_.number(packet->pts);
  const bool first = number_ != number;
  const bool ends =
      first || (!pending_.empty() &&
                clock_.ends_part(packet->pts - pending_.front()->pts, packet->duration));
  if (ends) close_part(first ? end_before(number, packet->pts) : packet->pts);
  if (first) begin_segment(packet, init);
  if (segments_.empty() || segments_.back().number != number) return ends;  // start is missing
  segments_.back().rate = std::max(segments_.back().rate, packet->rate);
  pending_.push_back(packet);
  return ends;
}

/// Where the segment being made ends, if its next frame is at `pts`, in segment `number`. Usually
/// there. After a gap of whole segments, as when the process was stopped, at its tick: a duration
/// of hours would be the new target duration of HLS, and players would reload the playlist as
/// rarely.
media::Pts Track::end_before(std::uint64_t number, media::Pts pts) const {
  if (pending_.empty() || !number_ || number <= *number_ + 1) return pts;
  const auto& last = *pending_.back();
  return std::max(clock_.begin(*number_ + 1), last.pts + last.duration);
}

/// A segment that follows another one starts where that one ended. The first segment of a track
/// starts with the first frame after the tick, or with the second one if the group leaves out every
/// other frame: half of the time between its own frames after the tick. A whole one later, a frame
/// is missing, because the group was opened after it.
bool Track::is_whole(const media::Packet& first) const {
  if (first.kind == media::Packet::Kind::kVideo && !first.keyframe) return false;
  const auto number = clock_.number(first.pts);
  if (number_ && *number_ + 1 == number) return true;
  return first.pts - clock_.begin(number) < first.duration * 3 / 4;
}

void Track::begin_segment(const media::PacketPtr& first, std::uint64_t init) {
  const auto number = clock_.number(first->pts);
  if (!segments_.empty()) segments_.back().complete = true;
  const bool whole = is_whole(*first);
  number_ = number;
  if (!whole) return;
  segments_.push_back({.number = number,
                       .begin = first->pts,
                       .parts = {},
                       .complete = false,
                       .headers = first->headers,
                       .init = init,
                       .rate = {},
                       .captured = first->captured});
  if (segments_.size() > window_) segments_.pop_front();
}

void Track::close_part(media::Pts end) {
  if (pending_.empty()) return;
  auto& segment = segments_.back();
  const auto sequence = segment.number * clock_.max_parts() + segment.parts.size() + 1;
  segment.parts.push_back(
      std::make_shared<const Part>(std::exchange(pending_, {}), end, sequence, clock_.origin));
}

void Track::end() {
  if (!pending_.empty()) close_part(pending_.back()->pts + pending_.back()->duration);
  if (segments_.empty() || segments_.back().complete) return;
  segments_.back().complete = true;
  segments_.back().cut = true;
}

void Track::forget_before(std::uint64_t number) {
  while (!segments_.empty() && segments_.front().number < number) segments_.pop_front();
  if (segments_.empty()) pending_.clear();
}

const Segment* Track::find(std::uint64_t number) const {
  const auto found = std::ranges::lower_bound(segments_, number, {}, &Segment::number);
  return found == segments_.end() || found->number != number ? nullptr : &*found;
}

}  // namespace segments
