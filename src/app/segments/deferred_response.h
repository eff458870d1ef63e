#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "app/segments/session.h"
#include "server/full_response.h"
#include "server/streaming_response.h"

namespace app {

/// What a session's player is told with a response: that it is media, and of his connection (CMSD).
server::ResponseHead with_dynamics(server::ResponseHead head, const SegmentSession& session,
                                   const server::ResponseConnection& connection, base::Time now);

/// Whether a store has anything that it had not the last time: what waits is asked for each packet.
class RevisionWatch {
 public:
  bool any(const segments::SegmentStore& store) {
    const auto now = store.revision();
    return std::exchange(seen_, now) != now;
  }

 private:
  std::optional<std::uint64_t> seen_;
};

/// Waits until there is an answer, or until `patience` is over.
class DeferredResponse : public server::StreamingResponse {
 public:
  DeferredResponse(std::shared_ptr<SegmentSession> session, base::Time until)
      : session_{std::move(session)}, wait_{.stream = session_->stream().index(), .until = until} {}

  Chunk next(server::ResponseConnection& connection, base::Time now) override;
  Wait wait() const override { return wait_; }

 private:
  /// Empty: not yet.
  virtual std::optional<server::FullResponse> make(base::Time now) = 0;
  /// What make() sent is about to be sent.
  virtual void sending(server::ResponseConnection& /*connection*/, base::Time /*now*/) {}

 protected:
  SegmentSession& session() const { return *session_; }

 private:
  const std::shared_ptr<SegmentSession> session_;
  const Wait wait_;
};

}  // namespace app
