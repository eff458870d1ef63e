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

/// Bounds what one kind of telemetry costs one event loop. While more is asked for than the budget
/// allows, each viewer gets it at every k-th of its occasions (frames, acknowledgements, and
/// while k is 2 at most looks before frames; each kind has turns of its own): the same k for all,
/// each in its turn; the urgent beside it from a tenth of the budget, which is theirs. k follows
/// from what was asked in the last period; within a period the budget is never exceeded. Used on
/// the loop's thread; every_nth() is thread-safe. `now` never goes back.
class TelemetryBudget {
 public:
  /// One viewer's place in the turns. Beginning with different numbers spreads them.
  using Turn = std::uint64_t;

  static constexpr base::Duration kPeriod = std::chrono::seconds{1};

  explicit TelemetryBudget(int per_second)
      : per_second_{per_second}, every_nth_{per_second > 0 ? 1u : 0u} {}

  /// Whether a viewer whose turn is counted in `turn` may spend `cost` on this frame. One that is
  /// `urgent` need not wait for its turn.
  bool grant(Turn& turn, unsigned cost, bool urgent, base::Time now);

  /// k; 0: nothing is allowed.
  unsigned every_nth() const { return every_nth_.load(std::memory_order_relaxed); }

 private:
  void begin_period(base::Time now);

  const int per_second_;
  std::atomic<unsigned> every_nth_;
  base::Time period_end_{};
  double asked_ = 0;
  double left_ = 0;
  double urgent_left_ = 0;  ///< of it, for grants out of turn
};

/// One viewer's turns at its loop's budget of TCP_INFO samples. Each kind of occasion has turns of
/// its own, so that one kind does not use up another's.
class SampleTurns {
 public:
  enum class Occasion { kFrame, kAcknowledgement, kBeforeFrame };

  SampleTurns(TelemetryBudget& budget, std::uint64_t viewer)
      : budget_{budget}, turns_{viewer, viewer, viewer} {}

  /// Whether the viewer may be sampled now; see TelemetryBudget::grant.
  bool grant(Occasion occasion, bool urgent, base::Time now) {
    return budget_.grant(turns_[static_cast<std::size_t>(occasion)], 1, urgent, now);
  }
  /// A sample before each frame is affordable.
  bool ahead_of_frames() const {
    const auto every_nth = budget_.every_nth();
    return every_nth > 0 && every_nth <= kMaxEveryNthAhead;
  }

 private:
  // Samples before frames, where more than every second occasion is left out, come too seldom to be
  // worth the timer and the ladder's lock.
  static constexpr unsigned kMaxEveryNthAhead = 2;

  TelemetryBudget& budget_;
  std::array<TelemetryBudget::Turn, 3> turns_;
};

/// What one event loop may spend: its viewers' TCP_INFO samples, and reports of marked writes.
struct LoopTelemetry {
  explicit LoopTelemetry(const TelemetrySettings& settings)
      : samples{settings.samples_per_second}, marks{settings.ack_timestamps_per_second} {}

  TelemetryBudget samples;
  TelemetryBudget marks;
};

/// Every loop's. Each belongs to its loop's thread; states() is thread-safe.
class LoopBudgets {
 public:
  struct State {
    int loop = 0;
    unsigned sampled_every_nth = 1;
    unsigned marked_every_nth = 1;
  };

  LoopBudgets(int loops, const TelemetrySettings& settings);

  LoopTelemetry& of(int loop) { return loops_[static_cast<std::size_t>(loop)]; }
  std::vector<State> states() const;

 private:
  std::deque<LoopTelemetry> loops_;  // elements that cannot be moved
};

}  // namespace app
