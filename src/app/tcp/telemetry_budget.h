#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "app/config/config.h"
#include "base/units.h"

namespace app {

/// Limits how often one kind of telemetry is taken on one event loop. While the requests exceed the
/// budget, every viewer is granted every k-th of its requests; k is the same for all and follows
/// from the requests of the last period. Urgent requests need not wait for a turn: up to a tenth of
/// the budget is granted to them out of turn. No period exceeds its budget. Used on the loop's
/// thread; every_nth() is thread-safe. `now` must never go back.
class TelemetryBudget {
 public:
  /// Counts one viewer's requests. Different start values spread the viewers' turns evenly.
  using Turn = std::uint64_t;

  /// k is renewed once per period. A longer period adapts later when viewers come and go; in a
  /// shorter one fewer requests decide, so k wavers.
  static constexpr base::Duration kBudgetPeriod = std::chrono::seconds{1};

  explicit TelemetryBudget(int per_second)
      : per_second_{per_second}, every_nth_{per_second > 0 ? 1u : 0u} {}

  /// Whether a viewer may spend `cost` now. Advances the viewer's `turn`. An `urgent` request need
  /// not wait for its turn.
  bool grant(Turn& turn, unsigned cost, bool urgent, base::Time now);

  /// k; 0 if the budget allows nothing.
  unsigned every_nth() const { return every_nth_.load(std::memory_order_relaxed); }

 private:
  void begin_period(base::Time now);

  const int per_second_;
  std::atomic<unsigned> every_nth_;
  base::Time period_end_{};
  double requested_ = 0;         ///< cost of all requests in this period
  double remaining_ = 0;         ///< part of the budget not yet granted in this period
  double urgent_remaining_ = 0;  ///< part of remaining_ that may be granted out of turn
};

/// One viewer's turns at its loop's budget of TCP_INFO samples. Each kind of occasion has its own
/// turn counter, so that one kind does not use up the turns of another.
class SampleTurns {
 public:
  enum class Occasion { kFrame, kAcknowledgement, kBeforeFrame };

  SampleTurns(TelemetryBudget& budget, std::uint64_t viewer)
      : budget_{budget}, turns_{viewer, viewer, viewer} {}

  /// Whether the viewer may be sampled now; see TelemetryBudget::grant.
  bool grant(Occasion occasion, bool urgent, base::Time now) {
    return budget_.grant(turns_[static_cast<std::size_t>(occasion)], 1, urgent, now);
  }
  /// Whether the budget allows samples before frames, besides the samples at frames.
  bool samples_before_frames() const {
    const auto every_nth = budget_.every_nth();
    return every_nth > 0 && every_nth <= kMaxEveryNthBeforeFrame;
  }

 private:
  // Largest k at which samples are taken before frames. With a larger k they are too rare to be
  // worth a timer and the ladder's lock; with a smaller one they stop as soon as the budget binds.
  static constexpr unsigned kMaxEveryNthBeforeFrame = 2;

  TelemetryBudget& budget_;
  std::array<TelemetryBudget::Turn, 3> turns_;
};

/// The telemetry budgets of one event loop: TCP_INFO samples and ACK timestamps of its viewers.
struct LoopTelemetry {
  explicit LoopTelemetry(const TelemetrySettings& settings)
      : samples{settings.samples_per_second}, ack_timestamps{settings.ack_timestamps_per_second} {}

  TelemetryBudget samples;
  TelemetryBudget ack_timestamps;
};

/// The budgets of all event loops. Each is used on its loop's thread; states() is thread-safe.
class LoopBudgets {
 public:
  /// TelemetryBudget::every_nth() of one loop's budgets.
  struct State {
    int loop = 0;
    unsigned sampled_every_nth = 1;      ///< LoopTelemetry::samples
    unsigned timestamped_every_nth = 1;  ///< LoopTelemetry::ack_timestamps
  };

  LoopBudgets(int loops, const TelemetrySettings& settings);

  LoopTelemetry& of(int loop) { return loops_[static_cast<std::size_t>(loop)]; }
  std::vector<State> states() const;

 private:
  std::deque<LoopTelemetry> loops_;  // a deque because its elements cannot be moved
};

}  // namespace app
