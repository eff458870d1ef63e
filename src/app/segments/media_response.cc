#include "app/segments/media_response.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "app/segments/connection.h"
#include "app/segments/deferred_response.h"

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

SegmentConnection& own(server::ResponseConnection& connection) {
  return static_cast<SegmentConnection&>(*connection.state);
}

class InitResponse final : public DeferredResponse {
 public:
  InitResponse(SessionPtr its, Target target, base::Time until)
      : DeferredResponse{std::move(its), until}, target_{std::move(target)} {}

 private:
  std::optional<FullResponse> make(base::Time /*now*/) override {
    const auto headers = find();
    if (!headers && target_.kind == Target::Kind::kNewestInit) return {};
    if (!headers) return error_response(404, "there is no such initialization section");
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

/// A part, when it has been made; it may be the one that a playlist has hinted at.
class PartResponse final : public DeferredResponse {
 public:
  PartResponse(SessionPtr its, Target target, base::Time until)
      : DeferredResponse{std::move(its), until}, target_{std::move(target)} {}

 private:
  std::optional<FullResponse> make(base::Time /*now*/) override {
    if (!news_.any(session().stream().segments())) return {};
    const auto segment = session().segment(target_.rendition, target_.number);
    if (segment && target_.part < segment->parts.size()) {
      part_ = segment->parts[target_.part];
      return full_response({.content_type = target_.content_type()}, {shared(part_)});
    }
    const bool gone = !segment && !session().stream().segments().is_due(target_.number);
    if ((segment && segment->complete) || gone) return error_response(404, "there is no such part");
    return {};
  }
  void sending(server::ResponseConnection& connection, base::Time now) override {
    if (part_) own(connection).sent(connection, *part_, true, now);
  }

  const Target target_;
  segments::PartPtr part_;
  RevisionWatch news_;
};

/// A segment: what there is of it at once, the rest part by part.
class SegmentResponse final : public server::StreamingResponse {
 public:
  SegmentResponse(SessionPtr session, Target target, base::Time until)
      : session_{std::move(session)}, target_{std::move(target)}, until_{until} {}

  Chunk next(server::ResponseConnection& connection, base::Time now) override {
    if (!news_.any(session_->stream().segments()) && now < until_) return {};
    const auto segment = session_->segment(target_.rendition, target_.number);
    if (!segment || (now >= until_ && !segment->complete)) return missing(segment, connection, now);
    Chunk step{.head = {}, .body = {}, .complete = segment->complete};
    for (; sent_ < segment->parts.size(); ++sent_) {
      own(connection).sent(connection, *segment->parts[sent_], session_->plays_chunks(), now);
      step.body.push_back(shared(segment->parts[sent_]));
    }
    if (begun_ || (step.body.empty() && !step.complete)) return step;
    begun_ = true;
    step.head = ResponseHead{.content_type = target_.content_type()};
    if (step.complete) step.head = full_response(*step.head, step.body).head;
    step.head = with_dynamics(std::move(*step.head), *session_, connection, now);
    return step;
  }
  Wait wait() const override { return {.stream = session_->stream().index(), .until = until_}; }

 private:
  /// `segment`: it is not completed in time.
  Chunk missing(const std::optional<segments::Segment>& segment,
                const server::ResponseConnection& connection, base::Time now) const {
    if (begun_) throw std::runtime_error{"a segment was not completed in time"};
    const bool gone = !segment && !session_->stream().segments().is_due(target_.number);
    if (!gone && now < until_) return {};
    auto why = gone ? error_response(404, "there is no such segment")
                    : error_response(503, "the segment was not ready in time");
    return {.head = with_dynamics(std::move(why.head), *session_, connection, now),
            .body = std::move(why.body),
            .complete = true};
  }

  const SessionPtr session_;
  const Target target_;
  const base::Time until_;
  std::size_t sent_ = 0;  ///< parts
  bool begun_ = false;
  RevisionWatch news_;
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
