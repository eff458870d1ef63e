#include "app/segments/deferred_response.h"

#include <utility>

#include "app/segments/connection.h"
#include "server/full_response.h"

namespace app {

using server::ResponseHead;

ResponseHead with_dynamics(ResponseHead head, const SegmentSession& session,
                           const server::ResponseConnection& connection, base::Time now) {
  const auto id = SegmentConnection::of(connection).id();
  head.fields.push_back("CMSD-Dynamic: " + segments::header(session.dynamics(id, now)));
  head.media = true;
  return head;
}

server::StreamingResponse::Chunk DeferredResponse::next(server::ResponseConnection& connection,
                                                        base::Time now) {
  auto made = make(now);
  if (!made && now >= *wait_.until) {
    made = server::error_response(503, "the response was not ready in time: request it again");
  }
  if (!made) return {};
  on_sending(connection, now);
  return {.head = with_dynamics(std::move(made->head), *session_, connection, now),
          .body = std::move(made->body),
          .complete = true};
}

}  // namespace app
