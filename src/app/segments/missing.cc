#include "app/segments/missing.h"

#include <algorithm>
#include <cstdint>

#include "app/segments/playlist_response.h"

namespace app {

namespace {

using segments::Rendition;
using segments::Target;
using server::error_response;

bool has_rendition(const LiveStream& stream, Rendition rendition) {
  switch (rendition.kind) {
    case Rendition::Kind::kAudio:
      return stream.media_settings().audio.enabled;
    case Rendition::Kind::kRung:
      return rendition.rung < stream.rungs().size();
    case Rendition::Kind::kAuto:
      break;
  }
  return true;
}

/// A player that returns after the server was restarted may ask before an encoder has begun.
bool has_init(const LiveStream& stream, std::uint64_t id) {
  const auto& store = stream.segments();
  return store.headers(id) || !store.largest();
}

bool has_segment(const LiveStream& stream, std::uint64_t number) {
  return stream.segments().is_current(our_number(number, stream));
}

bool may_have(const segments::Segment& segment, unsigned part) {
  return !segment.complete || part < segment.parts.size();
}

bool has_part(const LiveStream& stream, const Target& target) {
  const auto& store = stream.segments();
  if (target.part >= store.clock().max_parts()) return false;
  if (target.rendition.kind == Rendition::Kind::kAudio) {
    const auto segment = store.audio(target.number);
    return segment ? may_have(*segment, target.part) : store.is_due(target.number);
  }
  const auto holders = store.holders(target.number);
  if (holders.empty()) return store.is_due(target.number);
  return std::ranges::any_of(holders, [&](const auto& holder) {
    const auto segment = store.video(holder.track, target.number);
    return segment && may_have(*segment, target.part);
  });
}

}  // namespace

std::uint64_t our_number(std::uint64_t players, const LiveStream& stream) {
  const auto& store = stream.segments();
  if (store.is_current(players)) return players;
  const auto offset = stream.clock().date_offset(transcoder::MediaClock::Reading::now());
  const auto ahead = store.clock().ahead(offset - stream.clock().date_offset());
  return players - static_cast<std::uint64_t>(ahead);
}

std::optional<server::FullResponse> missing(const Target& target, const std::string& query,
                                            const LiveStream& stream) {
  using Kind = Target::Kind;
  const bool of_rendition = target.kind != Kind::kMultivariant && target.kind != Kind::kManifest;
  if (of_rendition && !has_rendition(stream, target.rendition)) {
    return error_response(404, "there is no such rendition: reload the playlist or manifest");
  }
  switch (target.kind) {
    case Kind::kPlaylist:
      return playlist_error(stream, query);
    case Kind::kInit:
      if (has_init(stream, target.number)) return {};
      return error_response(404, "there is no such initialization section: reload the playlist");
    case Kind::kSegment:
      if (has_segment(stream, target.number)) return {};
      return error_response(404, "there is no such segment: reload the playlist or manifest");
    case Kind::kPart:
      if (has_part(stream, target)) return {};
      return error_response(404, "there is no such part: reload the playlist");
    default:
      return {};
  }
}

}  // namespace app
