#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <variant>

#include "app/stream/live_stream.h"
#include "base/log_period.h"
#include "base/units.h"
#include "segments/track.h"

namespace app {

/// Segments at rates that players choose freely. Encodes a segment on the first request, from the
/// group's segment with the highest rate, on a thread of its own, and keeps it as long as the
/// groups' segments. Thread-safe.
class OnDemand {
 public:
  /// Totals since the start.
  struct State {
    std::uint64_t coded = 0;
    std::uint64_t shared = 0;   ///< requests served with an encoded segment, or a group's own
    std::uint64_t refused = 0;  ///< requests beyond the budget
    std::uint64_t failed = 0;
    base::Duration cpu_time{};
  };
  struct Request {
    std::shared_ptr<LiveStream> stream;
    std::uint64_t number = 0;
    base::BitRate rate;
  };
  struct Pending {};   ///< not ready yet: call get() again
  struct NotFound {};  ///< there is no such segment
  struct Failed {};    ///< the segment cannot be encoded
  struct Disabled {};  ///< the segment would have to be encoded, but `cpus` is 0
  struct Refused {     ///< the budget is used up
    base::Duration retry_after;
  };
  using Result = std::variant<segments::Segment, Pending, NotFound, Failed, Disabled, Refused>;

  /// `cpus`: CPUs it may use on average. 0 turns encoding off.
  explicit OnDemand(double cpus);
  ~OnDemand();

  /// Never blocks on the encoder.
  Result get(const Request& request, base::Time now);
  State state() const;
  /// Drops segments that the groups' stores no longer keep. Call regularly.
  void forget_old();

 private:
  struct Key {
    std::uint32_t stream = 0;
    std::uint64_t number = 0;
    std::int64_t rate = 0;  ///< in units of kRateStep
    auto operator<=>(const Key&) const = default;
  };
  struct Job {
    Key key;
    std::shared_ptr<LiveStream> stream;
    segments::Segment source;
    base::BitRate rate;
  };
  struct CodedSegment {
    std::weak_ptr<const LiveStream> stream{};
    std::optional<segments::Segment> segment{};  ///< nullopt while it is being encoded
    bool delivered = false;                      ///< to the request that caused it
  };

  Result result_of(CodedSegment& coded);
  std::optional<Refused> over_budget(base::Time now);
  void run();
  void code(const Job& job);

  const double cpus_;
  mutable std::mutex mutex_;  // guards all members below except thread_
  std::condition_variable wake_;
  std::deque<Job> jobs_;  ///< the first one is being encoded
  std::map<Key, CodedSegment> coded_;
  base::Duration credit_;  ///< CPU time left in the budget; negative if overdrawn
  base::Duration cost_;    ///< CPU time expected for the next segment
  base::Time credited_;    ///< when `credit_` was last raised
  bool stopping_ = false;
  State state_;
  base::LogPeriod failures_;
  std::thread thread_;
};

}  // namespace app
