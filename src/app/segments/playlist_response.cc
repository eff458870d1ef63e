#include "app/segments/playlist_response.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "app/segments/deferred_response.h"
#include "app/segments/playlist_memo.h"
#include "segments/hls.h"
#include "server/query.h"

namespace app {

namespace {

using segments::Rendition;
using segments::Segment;
using segments::Target;
using server::error_response;
using server::FullResponse;

// Parts stay listed for this many target durations (RFC 8216bis, 6.2.2).
constexpr int kTargetsWithParts = 3;
// A request that waits for a segment further ahead of the newest is a mistake (RFC
// 8216bis, 6.2.5.2).
constexpr unsigned kMaxSegmentsAhead = 2;

/// The segment and part that the playlist has to contain before it is sent.
struct PlaylistRequest {
  std::optional<std::uint64_t> number;  ///< _HLS_msn
  std::optional<unsigned> part;         ///< _HLS_part
  std::string mistake{};                ///< why it is none; otherwise empty
};

template <typename Number>
void read(const std::string& query, const char* key, std::optional<Number>& number,
          std::string& mistake) {
  const auto value = server::number_in<Number>(query, key);
  if (value) {
    number = *value;
  } else {
    mistake = value.error();
  }
}

PlaylistRequest request_in(const std::string& query) {
  PlaylistRequest request;
  read(query, "_HLS_msn", request.number, request.mistake);
  read(query, "_HLS_part", request.part, request.mistake);
  return request;
}

std::optional<FullResponse> error_of(const PlaylistRequest& request, const LiveStream& stream) {
  if (!request.mistake.empty()) return error_response(400, request.mistake);
  if (request.part && !request.number) return error_response(400, "_HLS_part needs _HLS_msn");
  const auto newest = stream.segments().newest();
  if (request.number && newest && *request.number > *newest + kMaxSegmentsAhead) {
    return error_response(400, "_HLS_msn is too far ahead: it may exceed the newest segment by 2");
  }
  return {};
}

/// The content of a playlist: complete segments without a gap up to the newest, and the one being
/// made. Lists half of the store's window: a segment has to stay available after it has left the
/// playlist, for its own duration and the playlist's (RFC 8216, 6.2.2).
struct Listing {
  std::vector<Segment> complete;
  std::optional<Segment> open;
};

Listing list(SegmentSession& session, Rendition rendition) {
  Listing result;
  const auto newest = session.stream().segments().newest();
  const auto oldest = session.oldest_segment();
  if (!newest || !oldest) return result;
  const auto listed = session.stream().segments().window() / 2;
  const auto begin = *newest - std::min<std::uint64_t>(*newest, listed - 1);
  for (auto number = std::max(begin, *oldest); number <= *newest; ++number) {
    auto segment = session.segment(rendition, number);
    if (segment && segment->complete) {
      result.complete.push_back(std::move(*segment));
    } else if (segment) {
      result.open = std::move(*segment);
      break;
    } else if (number < *newest) {
      result.complete.clear();
    }
  }
  return result;
}

/// How many complete segments are listed with their parts. A target duration is in whole seconds.
std::uint64_t segments_with_parts(base::Duration segment) {
  const base::Duration target = std::chrono::ceil<std::chrono::seconds>(segment);
  return static_cast<std::uint64_t>((kTargetsWithParts * target + segment - base::Duration{1}) /
                                    segment);
}

segments::HlsSegment hls_segment(SegmentSession& session, const Segment& segment, bool parts) {
  segments::HlsSegment result{.number = segment.number,
                              .duration = segment.duration(),
                              .began = session.date(segment.begin),
                              .parts = {},
                              .init = segment.init};
  if (!parts) return result;
  for (const auto& part : segment.parts) {
    result.parts.push_back({.duration = part->duration(), .independent = part->independent()});
  }
  return result;
}

/// The part after the last one listed. A segment that is being made always gets another part.
std::pair<std::uint64_t, unsigned> next_part(const Listing& listing) {
  if (!listing.open) return {listing.complete.back().number + 1, 0};
  return {listing.open->number, static_cast<unsigned>(listing.open->parts.size())};
}

PlaylistMemo::Extent::End end_of(const Segment& segment) {
  return {.number = segment.number, .parts = segment.parts.size()};
}

PlaylistMemo::Extent extent_of(const Listing& listing) {
  PlaylistMemo::Extent result{.complete = listing.complete.size()};
  if (!listing.complete.empty()) result.newest = end_of(listing.complete.back());
  if (listing.open) result.open = end_of(*listing.open);
  return result;
}

class PlaylistResponse final : public DeferredResponse {
 public:
  PlaylistResponse(std::shared_ptr<SegmentSession> session, Rendition rendition,
                   PlaylistRequest request, std::string query, base::Time until)
      : DeferredResponse{std::move(session), until},
        rendition_{rendition},
        request_{std::move(request)},
        query_{std::move(query)} {}

 private:
  std::optional<FullResponse> make(base::Time /*now*/) override {
    if (!store_watch_.changed(session().stream().segments())) return {};
    if (auto error = error_of(request_, session().stream())) return error;
    auto key = memo_key();  // before the listing, which may be newer then
    if (const auto known = session().playlists().find(key)) {
      return satisfies_request(known->extent) ? std::optional{response(known->text)} : std::nullopt;
    }
    const auto listing = list(session(), rendition_);
    const auto extent = extent_of(listing);
    if (!satisfies_request(extent)) return {};
    const auto text = server::SharedBytes::of(segments::text(playlist(listing)));
    session().playlists().made(std::move(key), {extent, text});
    return response(text);
  }

  static FullResponse response(const server::SharedBytes& text) {
    return server::full_response(
        {.content_type = Target{.kind = Target::Kind::kPlaylist}.content_type()}, {text});
  }

  PlaylistMemo::Key memo_key() const {
    return {.rendition = rendition_,
            .playing = session().playing(),
            .player_chooses = session().player_chooses(),
            .revision = session().stream().segments().revision(),
            .query = query_};
  }

  bool satisfies_request(const PlaylistMemo::Extent& extent) const {
    if (extent.complete < session().least_segments()) return false;
    const auto request = normalized_request(extent.newest);
    if (!request.number || extent.newest.number >= *request.number) return true;
    if (!extent.open || extent.open->number < *request.number) return false;
    if (extent.open->number > *request.number) return true;
    return request.part && extent.open->parts > *request.part;
  }

  /// A request for a part after a segment's last means the first part of the next segment (RFC
  /// 8216bis, 6.2.5.2).
  PlaylistRequest normalized_request(const PlaylistMemo::Extent::End& newest) const {
    const bool beyond =
        request_.part && request_.number == newest.number && *request_.part >= newest.parts;
    return beyond ? PlaylistRequest{*request_.number + 1, 0} : request_;
  }

  segments::MediaPlaylist playlist(const Listing& listing) const {
    const auto& clock = session().stream().segments().clock();
    segments::MediaPlaylist result{.target = clock.segment, .part_target = clock.longest_part()};
    const auto newest = listing.complete.back().number;
    const auto with_parts = segments_with_parts(clock.segment);
    for (const auto& segment : listing.complete) {
      result.segments.push_back(
          hls_segment(session(), segment, segment.number + with_parts > newest));
    }
    if (listing.open) result.open = hls_segment(session(), *listing.open, true);
    result.hint = next_part(listing);
    result.discontinuities = session().stream().segments().discontinuities();
    for (const auto other : other_renditions()) add_report(result, listing, other);
    result.query = query_;
    return result;
  }

  /// The renditions to which the player may change.
  std::vector<Rendition> other_renditions() const {
    std::vector<Rendition> all{Rendition{Rendition::Kind::kAudio, 0}};
    if (!session().stream().media_settings().audio.enabled) all.clear();
    if (session().player_chooses()) {
      for (unsigned rung = 0; rung < session().rungs().size(); ++rung) {
        all.push_back({Rendition::Kind::kRung, rung});
      }
    } else {
      all.push_back({});
    }
    std::erase(all, rendition_);
    return all;
  }

  /// Appends a rendition report. The groups for a rung that the player does not play are not chosen
  /// yet, so the report assumes that it has come as far as the present one.
  void add_report(segments::MediaPlaylist& playlist, const Listing& own_listing,
                  Rendition other) const {
    const bool decided = other.kind == Rendition::Kind::kAudio || other == session().playing();
    const auto listing = decided ? list(session(), other) : own_listing;
    const bool open = listing.open && !listing.open->parts.empty();
    if (!open && listing.complete.empty()) return;
    const auto& last = open ? *listing.open : listing.complete.back();
    playlist.reports.push_back({.uri = "../" + other.text() + "/playlist.m3u8",
                                .last_msn = last.number,
                                .last_part = static_cast<unsigned>(last.parts.size() - 1)});
  }

  const Rendition rendition_;
  const PlaylistRequest request_;
  const std::string query_;
  RevisionWatch store_watch_;
};

}  // namespace

std::unique_ptr<server::StreamingResponse> playlist_response(
    std::shared_ptr<SegmentSession> session, Rendition rendition, const std::string& query,
    base::Time until) {
  return std::make_unique<PlaylistResponse>(std::move(session), rendition, request_in(query),
                                            server::kept_query(query), until);
}

std::optional<server::FullResponse> playlist_error(const LiveStream& stream,
                                                   const std::string& query) {
  return error_of(request_in(query), stream);
}

}  // namespace app
