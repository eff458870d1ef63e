#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "app/segments/connection.h"
#include "app/segments/on_demand.h"
#include "app/segments/session.h"
#include "app/telemetry/trace.h"
#include "app/telemetry/viewer_table.h"
#include "app/telemetry/viewer_taps.h"
#include "segments/target.h"
#include "server/streaming_response.h"

namespace app {

/// Serves HLS and DASH: keeps the sessions of all streams by the tokens in their paths, and
/// responds to their requests. Thread-safe.
class SegmentService {
 public:
  using Find = std::function<std::shared_ptr<LiveStream>(const std::string& name)>;

  /// Receivers of the sessions' telemetry.
  struct Recorders {
    ViewerTable& table;
    Trace* trace;  ///< null without a trace
    ViewerTaps& taps;
  };

  /// `find` returns null for an unknown stream. `on_demand` must outlive the service.
  SegmentService(Find find, SegmentConnection::Deps shared, Recorders recorders,
                 OnDemand& on_demand)
      : find_{std::move(find)},
        shared_{std::move(shared)},
        recorders_{recorders},
        on_demand_{on_demand} {}

  /// Null if the path is no segments::Target. Throws if no encoder can be opened.
  std::unique_ptr<server::StreamingResponse> respond(const server::HandlerRequest& request,
                                                     server::ResponseConnection& connection,
                                                     base::Time now);
  /// Updates telemetry, and ends sessions that have been idle for kMinIdleTimeout and for three
  /// segment durations. Call several times per second.
  void tick(base::Time now);
  OnDemand::State on_demand() const { return on_demand_.state(); }
  std::uint64_t joined() const { return joined_; }  ///< sessions started
  std::uint64_t left() const { return left_; }      ///< sessions ended, but for:
  /// Requests refused because their session had as many responses as it may have.
  std::uint64_t requests_refused() const { return requests_refused_; }
  std::uint64_t evicted() const { return evicted_; }  ///< sessions whose place another viewer has
  /// Ends all sessions.
  void stop() {
    end_if([](const auto&) { return true; });
  }

  /// A shorter timeout ends the sessions of paused players. With a longer one, players that have
  /// left keep their place and their group longer.
  static constexpr base::Duration kMinIdleTimeout = std::chrono::seconds{10};

 private:
  using SessionPtr = std::shared_ptr<SegmentSession>;
  using Key = std::pair<std::uint32_t, std::string>;  ///< LiveStream::index and token

  static Key key_of(const std::string& token, const LiveStream& stream) {
    return {stream.index(), token};
  }

  /// Null while the player has to wait for the stream's first picture.
  std::unique_ptr<server::StreamingResponse> try_to_respond(const segments::Target& target,
                                                            const server::HandlerRequest& request,
                                                            server::ResponseConnection& connection,
                                                            base::Time now);
  std::unique_ptr<server::StreamingResponse> response_to(SessionPtr session,
                                                         const segments::Target& target,
                                                         const std::string& query, base::Time now);
  std::unique_ptr<server::StreamingResponse> response_at_rate(SessionPtr session,
                                                              const segments::Target& target,
                                                              base::BitRate rate, base::Time until);
  SessionPtr find(const std::string& token, const LiveStream& stream) const;
  /// `known`: the token in the request's path; empty if it has none. Takes a viewer's place; null
  /// if there is none. Throws if the ladder cannot open an encoder.
  SessionPtr start_session(const std::string& known, std::shared_ptr<LiveStream> stream,
                           const server::HandlerRequest& request, const SessionPtr& former,
                           base::Time now);
  std::vector<SessionPtr> all() const;
  void end(SegmentSession& session);
  void end_if(const std::function<bool(const SegmentSession&)>& should_end);

  const Find find_;
  const SegmentConnection::Deps shared_;
  const Recorders recorders_;
  OnDemand& on_demand_;
  std::atomic<std::uint64_t> joined_{0};
  std::atomic<std::uint64_t> left_{0};
  std::atomic<std::uint64_t> evicted_{0};
  std::atomic<std::uint64_t> requests_refused_{0};
  mutable std::mutex mutex_;
  std::map<Key, SessionPtr> sessions_;  // GUARDED_BY(mutex_)
};

}  // namespace app
