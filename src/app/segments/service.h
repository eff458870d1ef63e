#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "app/segments/connection.h"
#include "app/segments/on_demand.h"
#include "app/segments/session.h"
#include "app/telemetry/trace.h"
#include "app/telemetry/viewer_table.h"
#include "app/telemetry/viewer_taps.h"
#include "segments/target.h"
#include "server/streaming_response.h"

namespace app {

/// HLS and DASH: the sessions of all streams, by the tokens in their paths. Thread-safe.
class SegmentService {
 public:
  using Find = std::function<std::shared_ptr<LiveStream>(const std::string& name)>;

  /// Who is told of the sessions.
  struct Recorders {
    ViewerTable& table;
    Trace* trace;  ///< null: there is none
    ViewerTaps& taps;
  };

  /// `cpus`: see OnDemand.
  SegmentService(Find find, SegmentConnection::Deps shared, Recorders recorders, double cpus)
      : find_{std::move(find)},
        shared_{std::move(shared)},
        recorders_{recorders},
        on_demand_{cpus} {}

  /// Null: the path is none of segments::Target.
  std::unique_ptr<server::StreamingResponse> respond(const server::HandlerRequest& request,
                                                     server::ResponseConnection& connection,
                                                     base::Time now);
  /// Ends sessions that nobody has asked for anything of for kIdle, or a few segments.
  void tick(base::Time now);
  OnDemand::State on_demand() const { return on_demand_.state(); }
  std::uint64_t joined() const { return joined_; }  ///< sessions so far
  std::uint64_t left() const { return left_; }      ///< and those that have ended
  void stop() {
    end_if([](const auto&) { return true; });
  }

  static constexpr base::Duration kIdle = std::chrono::seconds{10};

 private:
  using SessionPtr = std::shared_ptr<SegmentSession>;
  using Key = std::pair<std::uint32_t, std::string>;  ///< LiveStream::index and token

  static Key key_of(const std::string& token, const LiveStream& stream) {
    return {stream.index(), token};
  }

  std::unique_ptr<server::StreamingResponse> response_to(SessionPtr session,
                                                         const segments::Target& target,
                                                         const std::string& query, base::Time now);
  std::unique_ptr<server::StreamingResponse> at_rate(SessionPtr session,
                                                     const segments::Target& target,
                                                     std::string_view rate, base::Time until);
  SessionPtr find(const std::string& token, const LiveStream& stream) const;
  /// Takes a viewer's place. Throws what the ladder throws; null: there is no place.
  SessionPtr begin(const std::string& token, std::shared_ptr<LiveStream> stream,
                   const server::HandlerRequest& request, base::Time now);
  std::vector<SessionPtr> all() const;
  void end_if(const std::function<bool(const SegmentSession&)>& over);

  const Find find_;
  const SegmentConnection::Deps shared_;
  const Recorders recorders_;
  OnDemand on_demand_;
  std::atomic<std::uint64_t> joined_{0};
  std::atomic<std::uint64_t> left_{0};
  mutable std::mutex mutex_;
  std::map<Key, SessionPtr> sessions_;  // GUARDED_BY(mutex_)
};

}  // namespace app
