#pragma once

#include <cstddef>
#include <optional>

#include "app/telemetry/viewer_table.h"
#include "base/units.h"

namespace app {

/// Finds the proxies that no request shows, such as those of TCP connections, by where data are
/// received: several viewers receive them at one address, which is very near. No I/O, no clock.
/// Used on one thread.
class ProxyWatch {
 public:
  /// The round trip to a proxy on the same machine or in the same data centre takes 0.05 to 0.5 ms;
  /// nearly all viewers are farther away. A larger value takes more local networks for proxies.
  static constexpr base::Duration kNear = std::chrono::milliseconds{1};
  /// Two players at one near address are somebody who tries the server.
  static constexpr std::size_t kViewers = 3;
  /// Each look visits all viewers. A longer interval delays the report.
  static constexpr base::Duration kInterval = std::chrono::seconds{2};
  static constexpr base::Duration kReportInterval = std::chrono::minutes{10};

  /// The near address that most viewers share. nullopt if they are fewer than kViewers.
  static std::optional<ViewerTable::Shared> find(const ViewerTable& viewers) {
    const auto shared = viewers.most_shared(kNear);
    return shared.viewers < kViewers ? std::nullopt : std::optional{shared};
  }

  /// Call often. Returns the result of find() once in a while, to report it.
  std::optional<ViewerTable::Shared> update(const ViewerTable& viewers, base::Time now) {
    if (now < next_) return std::nullopt;
    const auto found = find(viewers);
    next_ = now + (found ? kReportInterval : kInterval);
    return found;
  }

 private:
  base::Time next_{};
};

}  // namespace app
