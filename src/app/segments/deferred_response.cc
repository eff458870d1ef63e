#include "app/segments/deferred_response.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "app/segments/connection.h"
#include "server/full_response.h"

namespace app {

using server::ResponseHead;

namespace {

// Loads 3 Mbit over a link of 100 kbit/s, also if segments are kept for a few seconds only.
constexpr base::Duration kMinLoadTime = std::chrono::seconds{30};

/// A segment that the store no longer has would be kept for this player alone.
base::Duration max_load_time(const segments::SegmentStore& store) {
  const base::Duration window = store.window() * store.clock().segment;
  return std::max(window, kMinLoadTime);
}

}  // namespace

ResponseHead with_dynamics(ResponseHead head, const SegmentSession& session,
                           const server::ResponseConnection& connection, base::Time now) {
  const auto id = SegmentConnection::of(connection).id();
  head.fields.push_back("CMSD-Dynamic: " + segments::header(session.dynamics(id, now)));
  head.media = true;
  head.finish_within = max_load_time(session.stream().segments());
  return head;
}

server::StreamingResponse::Chunk DeferredResponse::next(server::ResponseConnection& connection,
                                                        base::Time now) {
  auto made = make(now);
  if (!made && now >= *wait_.until) made = make_late(now);
  if (!made) return {};
  on_sending(connection, now);
  return {.head = with_dynamics(std::move(made->head), *session_, connection, now),
          .body = std::move(made->body),
          .complete = true};
}

server::FullResponse DeferredResponse::make_late(base::Time /*now*/) {
  return server::error_response(503, "the response was not ready in time: request it again");
}

}  // namespace app
