#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "abr/path_state.h"
#include "abr/reason.h"
#include "base/units.h"
#include "server/address.h"

namespace app {

/// What one viewer's control loop last saw and did: read by metrics and pages.
struct ViewerTelemetry {
  std::uint64_t id = 0;
  std::string stream;
  std::string format;  ///< ts, flv, mp4, hls, dash
  server::Address address;
  std::string user_agent;  ///< its first kMostUserAgent bytes
  base::Time connected{};
  std::uint32_t group = 0;                   ///< that serves him
  base::BitRate target;                      ///< what the policy lets the viewer have
  abr::Reason reason = abr::Reason::kStart;  ///< of the last change of it
  base::Duration rtt{};
  base::Duration min_rtt{};
  std::uint32_t cwnd = 0;                 ///< segments
  std::optional<std::uint32_t> ssthresh;  ///< segments; empty: infinite
  base::BitRate delivery_rate;
  abr::PathState path;           ///< as it was believed to be
  base::ByteCount in_flight;     ///< as the policy is told: abr::Observation::in_flight
  base::Duration backlog{};      ///< as the policy is told: abr::Observation::backlog
  base::Duration behind_live{};  ///< age of the newest frame acknowledged
  base::ByteCount bytes_sent;    ///< server::ViewerState, as the next two
  std::uint64_t frames_dropped = 0;
  std::uint64_t switches = 0;  ///< changes of group
  std::uint64_t events = 0;    ///< congestion events

  static constexpr std::size_t kMostUserAgent = 256;  ///< one that wants more is no player
};

/// The newest telemetry of every viewer. Thread-safe; each viewer writes a few times per second.
class ViewerTable {
 public:
  void put(const ViewerTelemetry& telemetry) {
    std::lock_guard lock{mutex_};
    viewers_[telemetry.id] = telemetry;
  }
  void remove(std::uint64_t id) {
    std::lock_guard lock{mutex_};
    viewers_.erase(id);
  }
  /// The first `limit` viewers by age of connection.
  std::vector<ViewerTelemetry> list(std::size_t limit) const {
    std::lock_guard lock{mutex_};
    std::vector<ViewerTelemetry> result;
    for (const auto& [id, telemetry] : viewers_) {
      if (result.size() >= limit) break;
      result.push_back(telemetry);
    }
    return result;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::uint64_t, ViewerTelemetry> viewers_;  // GUARDED_BY(mutex_)
};

}  // namespace app
