#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <variant>
#include <vector>

#include "app/segments/encode_turns.h"
#include "app/stream/live_stream.h"
#include "base/log_period.h"
#include "base/result.h"
#include "base/units.h"
#include "segments/track.h"

namespace app {

/// Segments at rates that players choose freely. Encodes a segment on the first request, from the
/// group's segment with the highest rate, on a thread of its own, and keeps it as long as the
/// groups' segments. Where the budget of CPU time is too small, EncodeTurns chooses, and the others
/// get the nearest segment that there is. Thread-safe.
class OnDemand {
 public:
  /// Totals since the start.
  struct State {
    std::uint64_t coded = 0;
    std::uint64_t shared = 0;       ///< requests served with an encoded segment, or a group's own
    std::uint64_t substituted = 0;  ///< requests beyond the budget: another rate was sent
    std::uint64_t failed = 0;
    base::Duration cpu_time{};
    std::size_t kept = 0;  ///< segments now, encoded or waiting for it
  };
  struct Request {
    std::shared_ptr<LiveStream> stream;
    std::uint64_t number = 0;
    base::BitRate rate;
    EncodeTurns::Asker asker;
  };
  struct Pending {};   ///< not ready yet: call get() again
  struct NotFound {};  ///< there is no such segment
  struct Failed {};    ///< the segment cannot be encoded
  struct Disabled {};  ///< the segment would have to be encoded, but `cpus` is 0
  using Result = std::variant<segments::Segment, Pending, NotFound, Failed, Disabled>;

  struct Encoded {
    base::Result<std::vector<media::PacketPtr>> packets;  ///< one for each frame of the segment
    base::Duration cpu_time{};
  };
  using Encode = std::function<Encoded(const LiveStream& stream, const segments::Segment& source,
                                       base::BitRate rate)>;

  /// `cpus`: CPUs it may use on average. 0 turns encoding off.
  explicit OnDemand(double cpus);
  /// Without a thread of its own: encode_next() encodes, by calling `encode`.
  OnDemand(double cpus, Encode encode, base::Time now);
  ~OnDemand();

  /// Never blocks on the encoder.
  Result get(const Request& request, base::Time now);
  /// Another rate of the segment, or NotFound, for a player that cannot wait any longer.
  Result get_another(const Request& request, base::Time now);
  /// The result of get() if nothing has to be encoded for it.
  std::optional<Result> without_encoding(const LiveStream& stream, std::uint64_t number,
                                         base::BitRate rate) const;
  State state() const;
  /// Encodes a segment, if one waits and there is CPU time for it. Returns whether there was one.
  bool encode_next(base::Time now);
  /// Drops segments that the groups' stores no longer keep. Call regularly.
  void forget_old(base::Time now);

 private:
  struct Key {
    std::uint32_t stream = 0;
    std::uint64_t number = 0;
    int rate = 0;  ///< in steps of kRateStep
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
    EncodeTurns::Id turn = 0;
    std::optional<segments::Segment> segment{};  ///< nullopt while it is being encoded
    bool delivered = false;                      ///< to the request that caused it
  };

  std::optional<Result> without_encoding(const std::optional<segments::Segment>& source,
                                         const segments::SegmentStore& store, std::uint64_t number,
                                         base::BitRate rate) const;
  Result result_of(CodedSegment& coded);
  Result queue(const Key& key, const Request& request, segments::Segment source, base::Time now);
  Result substitute(const Request& request, base::Time now);
  void forget(EncodeTurns::Id turn);
  void run();
  Encoded encode(const Job& job) const;
  void store(const Job& job, const Encoded& encoded, base::Time now);

  const double cpus_;
  const Encode encode_;
  mutable std::mutex mutex_;  // guards all members below except thread_
  std::condition_variable wake_;
  EncodeTurns turns_;
  EncodeTurns::Id last_turn_ = 0;
  std::map<EncodeTurns::Id, Job> jobs_;  ///< that wait, or are being encoded
  std::map<Key, CodedSegment> coded_;
  bool stopping_ = false;
  State state_;  ///< without `kept`
  base::LogPeriod failures_;
  base::LogPeriod substitutions_;
  std::thread thread_;
};

}  // namespace app
