#include "app/segments/whole_answer.h"

#include <utility>

#include "app/segments/link.h"

namespace app {

namespace {

using server::AnswerHead;
using server::SharedBytes;

class PlainAnswer final : public server::Answer {
 public:
  explicit PlainAnswer(Whole what) : what_{std::move(what)} {}
  Step next(server::Link&, base::Time) override {
    return {.head = std::move(what_.head), .body = std::move(what_.body), .complete = true};
  }

 private:
  Whole what_;
};

}  // namespace

Whole whole(AnswerHead head, std::vector<SharedBytes> body) {
  std::size_t size = 0;
  for (const auto& bytes : body) size += bytes.bytes.size();
  head.length = size;
  return {std::move(head), std::move(body)};
}

Whole text(int status, std::string content_type, std::string body) {
  return whole({.status = status, .content_type = std::move(content_type)},
               {SharedBytes::of(std::move(body))});
}

Whole reason(int status, const std::string& what) {
  return text(status, AnswerHead{}.content_type, what + "\n");
}

AnswerHead with_dynamics(AnswerHead head, const SegmentSession& session, const server::Link& link,
                         base::Time now) {
  const auto& own = static_cast<const SegmentLink&>(*link.note);
  head.fields.push_back("CMSD-Dynamic: " + segments::header(session.dynamics(own.id(), now)));
  head.media = true;
  return head;
}

std::unique_ptr<server::Answer> plain_answer(Whole what) {
  return std::make_unique<PlainAnswer>(std::move(what));
}

server::Answer::Step WholeAnswer::next(server::Link& link, base::Time now) {
  auto made = make(now);
  if (!made && now >= *wait_.until) made = reason(503, "it has not come in time");
  if (!made) return {};
  sending(link, now);
  return {.head = with_dynamics(std::move(made->head), *session_, link, now),
          .body = std::move(made->body),
          .complete = true};
}

}  // namespace app
