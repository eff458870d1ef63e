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

/// Segments at a rate of their player's own: coded from the best there is of them when they are
/// first asked for, on a thread of its own, and kept as long as the others. Thread-safe.
class OnDemand {
 public:
  struct State {
    std::uint64_t coded = 0;
    std::uint64_t shared = 0;   ///< coded for somebody else, or a group's own
    std::uint64_t refused = 0;  ///< too much at once
    std::uint64_t failed = 0;
    base::Duration cpu_time{};
  };
  struct Request {
    std::shared_ptr<LiveStream> stream;
    std::uint64_t number = 0;
    base::BitRate rate;
  };
  struct Pending {};  ///< ask again
  struct Gone {};     ///< there is no such segment
  struct Failed {};   ///< it cannot be coded
  struct Off {};      ///< it would have to be coded, which `cpus` rules out
  struct Refused {
    base::Duration retry_after;
  };
  using Result = std::variant<segments::Segment, Pending, Gone, Failed, Off, Refused>;

  /// `cpus`: that it may take, over time; 0: none is coded.
  explicit OnDemand(double cpus);
  ~OnDemand();

  Result get(const Request& request, base::Time now);
  State state() const;
  /// What is no longer kept of the groups' segments. Now and then.
  void forget_old();

 private:
  struct Key {
    std::uint32_t stream = 0;
    std::uint64_t number = 0;
    std::int64_t rate = 0;  ///< in units of kGrain
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
    std::optional<segments::Segment> segment{};  ///< empty: under way
    bool given = false;                          ///< to whoever asked first
  };

  Result known(CodedSegment& coded);
  std::optional<Refused> too_much(base::Time now);
  void run();
  void code(const Job& job);

  const double cpus_;
  mutable std::mutex mutex_;  // guards all below but thread_
  std::condition_variable wake_;
  std::deque<Job> jobs_;  ///< the first one is under way
  std::map<Key, CodedSegment> coded_;
  base::Duration credit_;  ///< CPU time that may be taken now; below zero: was too much
  base::Duration cost_;    ///< that the next segment is taken to have
  base::Time credited_;
  bool stopping_ = false;
  State state_;
  base::LogPeriod failures_;
  std::thread thread_;
};

}  // namespace app
