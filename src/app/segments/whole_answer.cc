#include "app/segments/whole_answer.h"

#include <utility>

#include "app/segments/link.h"
#include "server/full_response.h"

namespace app {

using server::AnswerHead;

AnswerHead with_dynamics(AnswerHead head, const SegmentSession& session, const server::Link& link,
                         base::Time now) {
  const auto& own = static_cast<const SegmentLink&>(*link.note);
  head.fields.push_back("CMSD-Dynamic: " + segments::header(session.dynamics(own.id(), now)));
  head.media = true;
  return head;
}

server::Answer::Step WholeAnswer::next(server::Link& link, base::Time now) {
  auto made = make(now);
  if (!made && now >= *wait_.until) made = server::error_response(503, "it has not come in time");
  if (!made) return {};
  sending(link, now);
  return {.head = with_dynamics(std::move(made->head), *session_, link, now),
          .body = std::move(made->body),
          .complete = true};
}

}  // namespace app
