#include "app/segments/media_response.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "app/segments/connection.h"
#include "app/segments/deferred_response.h"
#include "segments/stand_in.h"

namespace app {

namespace {

using segments::Rendition;
using segments::Target;
using server::error_response;
using server::full_response;
using server::FullResponse;
using server::ResponseHead;
using server::SharedBytes;
using SessionPtr = std::shared_ptr<SegmentSession>;

SharedBytes shared(const segments::PartPtr& part) { return {part, part->bytes()}; }

class InitResponse final : public DeferredResponse {
 public:
  InitResponse(SessionPtr session, Target target, base::Time until)
      : DeferredResponse{std::move(session), until}, target_{std::move(target)} {}

 private:
  std::optional<FullResponse> make(base::Time /*now*/) override {
    const auto headers = find();
    const bool none_yet = !session().stream().segments().newest();  // the server has just started
    if (!headers && (none_yet || target_.kind == Target::Kind::kNewestInit)) return {};
    if (!headers) {
      return error_response(404, "there is no such initialization section: reload the playlist");
    }
    const bool audio = target_.rendition.kind == Rendition::Kind::kAudio;
    return full_response({.content_type = target_.content_type()},
                         {{headers, audio ? headers->mp4_audio : headers->mp4_video}});
  }

  media::HeadersPtr find() const {
    const auto& store = session().stream().segments();
    if (target_.kind == Target::Kind::kInit) return store.headers(target_.number);
    const auto newest = store.newest();
    const auto segment =
        newest ? session().segment(frames(target_.rendition), *newest) : std::nullopt;
    return segment ? segment->headers : nullptr;
  }

  static Rendition frames(Rendition rendition) {
    return rendition.kind == Rendition::Kind::kAudio ? Rendition{} : rendition;
  }

  const Target target_;
};

/// A part. Waits until it has been made, as players request the part that a playlist hints at.
class PartResponse final : public DeferredResponse {
 public:
  PartResponse(SessionPtr session, Target target, base::Time until)
      : DeferredResponse{std::move(session), until}, target_{std::move(target)} {}

 private:
  std::optional<FullResponse> make(base::Time now) override {
    if (!store_watch_.changed(session().stream().segments())) return {};
    const auto segment = session().segment(target_.rendition, target_.number);
    if (segment && target_.part < segment->parts.size()) {
      part_ = session().part_to_send(target_.rendition, *segment, target_.part, true, now);
      return full_response({.content_type = target_.content_type()}, {shared(part_)});
    }
    const bool not_found = !segment && !session().stream().segments().is_due(target_.number);
    if ((segment && segment->complete) || not_found) {
      return error_response(404, "there is no such part: reload the playlist");
    }
    return {};
  }
  void on_sending(server::ResponseConnection& connection, base::Time now) override {
    if (part_) SegmentConnection::of(connection).on_sending(connection, *part_, true, now);
  }

  const Target target_;
  segments::PartPtr part_;
  RevisionWatch store_watch_;
};

/// A segment: sends the parts that have been made at once, and the others as they are made.
class SegmentResponse final : public server::StreamingResponse {
 public:
  SegmentResponse(SessionPtr session, Target target, base::Time until)
      : session_{std::move(session)}, target_{std::move(target)}, until_{until} {}

  Chunk next(server::ResponseConnection& connection, base::Time now) override {
    if (!store_watch_.changed(session_->stream().segments()) && now < until_) return {};
    if (!begun_) place_ = session_->place(target_.number);
    auto segment = session_->segment(target_.rendition, place_.number);
    if (!segment && was_missed()) segment = stand_in(now);
    if (!segment || (now >= until_ && !segment->complete)) {
      return incomplete(segment, connection, now);
    }
    Chunk chunk{.head = {}, .body = {}, .complete = segment->complete};
    for (; sent_ < segment->parts.size(); ++sent_) {
      const bool live = session_->plays_chunks();
      const auto part = session_->part_to_send(target_.rendition, *segment, sent_, live, now)
                            ->later(place_.later);
      SegmentConnection::of(connection).on_sending(connection, *part, live, now);
      chunk.body.push_back(shared(part));
    }
    if (begun_ || (chunk.body.empty() && !chunk.complete)) return chunk;
    begun_ = true;
    chunk.head = ResponseHead{.content_type = target_.content_type()};
    if (chunk.complete) chunk.head = full_response(*chunk.head, chunk.body).head;
    chunk.head = with_dynamics(std::move(*chunk.head), *session_, connection, now);
    return chunk;
  }
  Wait wait() const override { return {.stream = session_->stream().index(), .until = until_}; }

 private:
  /// `segment` does not exist, or was not completed in time. Responds with an error if it will not
  /// come; throws if part of it has been sent.
  Chunk incomplete(const std::optional<segments::Segment>& segment,
                   const server::ResponseConnection& connection, base::Time now) const {
    if (begun_) throw std::runtime_error{"a segment was not completed in time"};
    const bool not_found =
        !segment && !was_missed() && !session_->stream().segments().is_due(place_.number);
    if (!not_found && now < until_) return {};
    auto error =
        not_found ? error_response(404, "there is no such segment: reload the playlist or manifest")
                  : error_response(503, "the segment was not ready in time: request it again");
    return {.head = with_dynamics(std::move(error.head), *session_, connection, now),
            .body = std::move(error.body),
            .complete = true};
  }

  /// Whether the clock says that the segment is there, but no group has made it.
  bool was_missed() const {
    const auto& store = session_->stream().segments();
    return place_.number < store.newest() && !store.has_expired(place_.number);
  }

  /// A stand-in for the segment; nullopt until enough of a later one has been made.
  std::optional<segments::Segment> stand_in(base::Time now) const {
    const auto& store = session_->stream().segments();
    for (auto number = place_.number + 1; number <= store.newest(); ++number) {
      const auto next = session_->segment(target_.rendition, number);
      if (!next || next->parts.empty()) continue;
      return segments::stand_in(place_.number, *next, store.clock(), now >= until_);
    }
    return {};
  }

  const SessionPtr session_;
  const Target target_;
  const base::Time until_;
  SegmentSession::Place place_;
  std::size_t sent_ = 0;  ///< parts sent
  bool begun_ = false;    ///< the head has been sent
  RevisionWatch store_watch_;
};

}  // namespace

std::unique_ptr<server::StreamingResponse> media_response(SessionPtr session, const Target& target,
                                                          base::Time until) {
  switch (target.kind) {
    case Target::Kind::kSegment:
      return std::make_unique<SegmentResponse>(std::move(session), target, until);
    case Target::Kind::kPart:
      return std::make_unique<PartResponse>(std::move(session), target, until);
    default:
      return std::make_unique<InitResponse>(std::move(session), target, until);
  }
}

}  // namespace app
