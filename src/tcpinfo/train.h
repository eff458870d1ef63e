#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/units.h"
#include "tcpinfo/tcp_sample.h"

/// What a path can carry, from trains of packets: what is sent in one go leaves the bottleneck
/// spaced by it, and so do the acknowledgements (Jain and Routhier 1986; Dovrolis, Ramanathan and
/// Moore 2004, "Packet-dispersion techniques and a capacity-estimation methodology"). Unlike the
/// kernel's delivery rate it does not need a sender that keeps the path full. Pure.
///
///    head    |          tail          |        C = tail / (tail_acked - head_acked)
///   ─────────┼────────────────────────┼──►
///        head_acked               tail_acked
///
/// The bits are TCP payload. With cross traffic it lies between the fair share and the capacity;
/// where pacing or the congestion window holds the train back, it is what they let through.
namespace tcpinfo {

// Two segments are acknowledged at once (RFC 5681, 4.2); three more make a spacing that is worth
// measuring.
inline constexpr std::uint32_t kHeadSegments = 2;
inline constexpr std::uint32_t kTailSegments = 3;

/// How much of a write of `size` goes first; zero: it is too short for a train. `mss` of zero: not
/// known yet.
base::ByteCount train_head(base::ByteCount size, std::uint32_t mss);

/// One write, sent as head and tail right after each other.
struct Train {
  base::Time departed{};
  base::Time head_acked{};
  base::Time tail_acked{};
  base::ByteCount tail;
};

/// The capacity of one viewer's path. Only trains that met no loss count: a hole holds back
/// acknowledgements, and its repair releases many at once.
class TrainDispersion {
 public:
  struct Capacity {
    base::BitRate rate;
    std::size_t trains = 0;  ///< it is their median
    base::Time newest{};     ///< when the last of them was acknowledged
  };

  /// Fewer say nothing: single trains are off by delayed acknowledgements (too low) and by those
  /// that come bunched (too high).
  static constexpr std::size_t kFewest = 5;
  static constexpr std::size_t kMost = 30;  ///< one second of pictures
  /// Older trains are forgotten, for a path changes. At low rates keyframes alone are long enough
  /// for a train: one every 2 s.
  static constexpr base::Duration kMaxAge = std::chrono::seconds{15};

  /// In the order of the stream. Counts once a later sample has shown that nothing was lost.
  void add(const Train& train);
  void update(const TcpSample& sample);

  std::optional<Capacity> capacity(base::Time now) const;

 private:
  static constexpr std::size_t kPending = 16;  ///< acknowledged between two samples

  struct Spacing {
    double seconds_per_bit = 0;  ///< zero: acknowledged at once
    base::Time at{};
  };

  void accept(const Train& train);

  std::vector<Train> pending_;
  std::array<Spacing, kMost> spacings_{};  ///< ring
  std::size_t accepted_ = 0;
  std::optional<std::uint32_t> retransmits_;  ///< segments, at the last sample
  std::optional<base::Time> calm_since_;      ///< samples have shown no loss since
};

}  // namespace tcpinfo
