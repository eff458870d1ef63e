#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "abr/path_state.h"
#include "abr/reason.h"
#include "base/units.h"
#include "server/address.h"
#include "server/client.h"

namespace app {

/// The latest state of one viewer's control loop and connection, as metrics and pages show it.
struct ViewerTelemetry {
  std::uint64_t id = 0;
  std::string stream;
  std::string format;  ///< ts, flv, mp4, hls, dash
  server::Address address;
  server::Proxy proxy = server::Proxy::kNone;  ///< before the viewer, as far as requests show it
  std::string user_agent;                      ///< its first kMaxUserAgentBytes
  base::Time connected{};
  std::uint32_t group = 0;                   ///< the encode group that serves the viewer
  base::BitRate target;                      ///< rate that the policy allows the viewer
  abr::Reason reason = abr::Reason::kStart;  ///< of the last change of `target`
  abr::Reason fall = abr::Reason::kStart;    ///< of its last decrease
  base::Duration rtt{};
  base::Duration min_rtt{};
  std::uint32_t cwnd = 0;                 ///< segments
  std::optional<std::uint32_t> ssthresh;  ///< segments; nullopt if infinite
  base::BitRate delivery_rate;
  abr::PathState path;           ///< the policy's estimate
  base::ByteCount in_flight;     ///< abr::Observation::in_flight
  base::Duration backlog{};      ///< abr::Observation::backlog
  base::Duration behind_live{};  ///< age of the newest acknowledged frame
  base::ByteCount bytes_sent;    ///< server::ViewerState::sent
  std::uint64_t frames_dropped = 0;
  std::uint64_t switches = 0;  ///< changes of group
  std::uint64_t events = 0;    ///< congestion events

  /// User agents of players are shorter. A larger limit lets a client fill memory and traces.
  static constexpr std::size_t kMaxUserAgentBytes = 256;
};

/// The newest telemetry of every viewer. Thread-safe; each viewer writes a few times per second.
class ViewerTable {
 public:
  /// An address and how many viewers are there.
  struct Shared {
    server::Address address;
    std::size_t viewers = 0;
  };

  void put(const ViewerTelemetry& telemetry) {
    std::lock_guard lock{mutex_};
    viewers_[telemetry.id] = telemetry;
  }
  void remove(std::uint64_t id) {
    std::lock_guard lock{mutex_};
    viewers_.erase(id);
  }
  /// Returns at most `limit` viewers, by id: the worst, who have the longest backlog and then the
  /// lowest rate.
  std::vector<ViewerTelemetry> list(std::size_t limit) const {
    std::lock_guard lock{mutex_};
    std::vector<const ViewerTelemetry*> all;
    for (const auto& [id, telemetry] : viewers_) all.push_back(&telemetry);
    if (all.size() > limit) {
      std::ranges::nth_element(all, all.begin() + static_cast<std::ptrdiff_t>(limit), worse);
      all.resize(limit);
      std::ranges::sort(all, {}, &ViewerTelemetry::id);
    }
    std::vector<ViewerTelemetry> result;
    for (const auto* telemetry : all) result.push_back(*telemetry);
    return result;
  }
  /// The address that most viewers have, of those whose round trip takes less than `rtt` and whose
  /// requests show no proxy. No viewers if there is none.
  Shared most_shared(base::Duration rtt) const {
    std::lock_guard lock{mutex_};
    std::map<server::Address, std::size_t> counts;
    for (const auto& [id, viewer] : viewers_) {
      const bool measured = viewer.min_rtt > base::Duration{};
      if (measured && viewer.min_rtt < rtt && viewer.proxy == server::Proxy::kNone)
        ++counts[viewer.address];
    }
    const auto most =
        std::ranges::max_element(counts, {}, [](const auto& it) { return it.second; });
    return most == counts.end() ? Shared{} : Shared{most->first, most->second};
  }

 private:
  static bool worse(const ViewerTelemetry* a, const ViewerTelemetry* b) {
    return std::tuple{-a->backlog, a->target.bps(), a->id} <
           std::tuple{-b->backlog, b->target.bps(), b->id};
  }

  mutable std::mutex mutex_;
  std::map<std::uint64_t, ViewerTelemetry> viewers_;  // GUARDED_BY(mutex_)
};

}  // namespace app
