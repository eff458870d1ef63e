#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "app/segments/session.h"
#include "server/full_response.h"
#include "server/streaming_response.h"

namespace app {

/// Marks a response as media, adds the state of the player's connection (CMSD-Dynamic), and limits
/// the time in which a player has to load it.
server::ResponseHead with_dynamics(server::ResponseHead head, const SegmentSession& session,
                                   const server::ResponseConnection& connection, base::Time now);

/// Tells a waiting response whether a store has changed: next() is called for each packet, but not
/// every packet completes a part.
class RevisionWatch {
 public:
  /// Whether `store` has changed since the last call. True for the first call.
  bool changed(const segments::SegmentStore& store) {
    const auto now = store.revision();
    return std::exchange(seen_, now) != now;
  }

 private:
  std::optional<std::uint64_t> seen_;
};

/// A response that is sent once it is complete, or make_late() if it is not by `until`. Used on its
/// connection's loop thread.
class DeferredResponse : public server::StreamingResponse {
 public:
  DeferredResponse(std::shared_ptr<SegmentSession> session, base::Time until)
      : session_{std::move(session)}, wait_{.stream = session_->stream().index(), .until = until} {}

  Chunk next(server::ResponseConnection& connection, base::Time now) override;
  Wait wait() const override { return wait_; }

 private:
  /// The response, or nullopt while it has to wait. Called at each packet of the stream.
  virtual std::optional<server::FullResponse> make(base::Time now) = 0;
  /// The response is about to be sent.
  virtual void on_sending(server::ResponseConnection& /*connection*/, base::Time /*now*/) {}

 protected:
  /// The response in place of one that is not ready in time. 503 by default.
  virtual server::FullResponse make_late(base::Time now);
  SegmentSession& session() const { return *session_; }

 private:
  const std::shared_ptr<SegmentSession> session_;
  const Wait wait_;
};

}  // namespace app
