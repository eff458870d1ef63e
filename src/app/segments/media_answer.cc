#include "app/segments/media_answer.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "app/segments/link.h"
#include "app/segments/whole_answer.h"

namespace app {

namespace {

using segments::Rendition;
using segments::Target;
using server::AnswerHead;
using server::error_response;
using server::full_response;
using server::FullResponse;
using server::SharedBytes;
using SessionPtr = std::shared_ptr<SegmentSession>;

SharedBytes shared(const segments::PartPtr& part) { return {part, part->bytes()}; }

SegmentLink& own(server::Link& link) { return static_cast<SegmentLink&>(*link.note); }

class InitAnswer final : public WholeAnswer {
 public:
  InitAnswer(SessionPtr its, Target target, base::Time until)
      : WholeAnswer{std::move(its), until}, target_{std::move(target)} {}

 private:
  std::optional<FullResponse> make(base::Time /*now*/) override {
    const auto headers = find();
    if (!headers && target_.kind == Target::Kind::kNewestInit) return {};
    if (!headers) return error_response(404, "there is no such initialization section");
    const bool sound = target_.rendition.kind == Rendition::Kind::kAudio;
    return full_response({.content_type = target_.content_type()},
                         {{headers, sound ? headers->mp4_audio : headers->mp4_video}});
  }

  media::HeadersPtr find() const {
    const auto& store = session().stream().segments();
    if (target_.kind == Target::Kind::kInit) return store.headers(target_.number);
    const auto newest = store.newest();
    const auto segment =
        newest ? session().segment(pictures(target_.rendition), *newest) : std::nullopt;
    return segment ? segment->headers : nullptr;
  }

  static Rendition pictures(Rendition rendition) {
    return rendition.kind == Rendition::Kind::kAudio ? Rendition{} : rendition;
  }

  const Target target_;
};

/// A part, when it has been made; it may be the one that a playlist has hinted at.
class PartAnswer final : public WholeAnswer {
 public:
  PartAnswer(SessionPtr its, Target target, base::Time until)
      : WholeAnswer{std::move(its), until}, target_{std::move(target)} {}

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
  void sending(server::Link& link, base::Time now) override {
    if (part_) own(link).give(link, *part_, true, now);
  }

  const Target target_;
  segments::PartPtr part_;
  News news_;
};

/// A segment: what there is of it at once, the rest part by part.
class SegmentAnswer final : public server::Answer {
 public:
  SegmentAnswer(SessionPtr session, Target target, base::Time until)
      : session_{std::move(session)}, target_{std::move(target)}, until_{until} {}

  Step next(server::Link& link, base::Time now) override {
    if (!news_.any(session_->stream().segments()) && now < until_) return {};
    const auto segment = session_->segment(target_.rendition, target_.number);
    if (!segment || (now >= until_ && !segment->complete)) return missing(segment, link, now);
    Step step{.head = {}, .body = {}, .complete = segment->complete};
    for (; sent_ < segment->parts.size(); ++sent_) {
      own(link).give(link, *segment->parts[sent_], session_->plays_chunks(), now);
      step.body.push_back(shared(segment->parts[sent_]));
    }
    if (begun_ || (step.body.empty() && !step.complete)) return step;
    begun_ = true;
    step.head = AnswerHead{.content_type = target_.content_type()};
    if (step.complete) step.head = full_response(*step.head, step.body).head;
    step.head = with_dynamics(std::move(*step.head), *session_, link, now);
    return step;
  }
  Wait wait() const override { return {.stream = session_->stream().index(), .until = until_}; }

 private:
  /// `segment`: it is not completed in time.
  Step missing(const std::optional<segments::Segment>& segment, const server::Link& link,
               base::Time now) const {
    if (begun_) throw std::runtime_error{"a segment has not been completed in time"};
    const bool gone = !segment && !session_->stream().segments().is_due(target_.number);
    if (!gone && now < until_) return {};
    auto why = gone ? error_response(404, "there is no such segment")
                    : error_response(503, "the segment has not come in time");
    return {.head = with_dynamics(std::move(why.head), *session_, link, now),
            .body = std::move(why.body),
            .complete = true};
  }

  const SessionPtr session_;
  const Target target_;
  const base::Time until_;
  std::size_t sent_ = 0;  ///< parts
  bool begun_ = false;
  News news_;
};

}  // namespace

std::unique_ptr<server::Answer> media_answer(SessionPtr session, const Target& target,
                                             base::Time until) {
  switch (target.kind) {
    case Target::Kind::kSegment:
      return std::make_unique<SegmentAnswer>(std::move(session), target, until);
    case Target::Kind::kPart:
      return std::make_unique<PartAnswer>(std::move(session), target, until);
    default:
      return std::make_unique<InitAnswer>(std::move(session), target, until);
  }
}

}  // namespace app
