#pragma once

#include <cstdint>
#include <optional>

#include "abr/reason.h"
#include "app/telemetry/viewer_table.h"
#include "base/units.h"

namespace app {

/// Finds the times in which one viewer's picture was bad: frames were lost, it was late, or its
/// rate was below half of what it had been. So the log can say what happened at 12:03. No I/O, no
/// clock.
class BadPicture {
 public:
  /// One such time.
  struct Report {
    base::Time from{};
    base::Time to{};       ///< a report is due kCalm after it
    base::BitRate before;  ///< the rate that the viewer had
    base::BitRate lowest;
    abr::Reason cause{};  ///< of the fall to the lowest rate
    std::uint64_t frames_lost = 0;
    base::Duration behind{};  ///< the most; zero if that is not judged
  };

  /// Longer gaps between bad moments make two reports of one event; shorter ones delay the report.
  static constexpr base::Duration kCalm = std::chrono::seconds{3};
  /// A viewer who is behind for longer is reported once in that time.
  static constexpr base::Duration kMaxLength = std::chrono::minutes{1};

  /// `tolerated`: how old the newest acknowledged frame may be, beyond the round trip and two frame
  /// intervals. nullopt if that says nothing, because the player buffers.
  explicit BadPicture(std::optional<base::Duration> tolerated) : tolerated_{tolerated} {}

  /// Call a few times per second. `interval`: between frames. Returns a report that is due.
  std::optional<Report> update(const ViewerTelemetry& viewer, base::Duration interval,
                               base::Time now);
  /// The newest acknowledged frame is older than tolerated.
  bool is_late(const ViewerTelemetry& viewer, base::Duration interval) const;
  /// The viewer has left.
  std::optional<Report> end() { return finish(); }

 private:
  bool is_bad(const ViewerTelemetry& viewer, base::Duration interval) const;
  void note(const ViewerTelemetry& viewer, base::Time now);
  std::optional<Report> finish();

  const std::optional<base::Duration> tolerated_;
  std::optional<Report> report_;
  base::BitRate usual_;  ///< the highest rate of late
  base::Time updated_{};
  std::uint64_t frames_lost_ = 0;  ///< ViewerTelemetry::frames_dropped at the last update
};

}  // namespace app
