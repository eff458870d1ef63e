#pragma once

#include <array>
#include <cstddef>

#include "abr/observation.h"
#include "base/units.h"

namespace abr {

/// How much of a frame a short queue has room for, by where in a frame the first segment is lost. A
/// frame enters the queue at TCP's pace p and leaves it at the path's rate C, so a queue overflows
/// after
///
///   position = room / (1 - C / p)
///
/// bytes of the frame. Losses of other causes hit any segment, and they show another room when the
/// pace changes. So the newest losses have to agree. (Camel, Liu et al., WWW 2026, also learns the
/// length of bursts from the part of a burst that is lost; it labels its packets.) No I/O, no
/// clock.
class QueueRoom {
 public:
  /// For each observation. `capacity`: a rate that the path carries, as TCP payload.
  void update(const Observation& observation, base::BitRate capacity, base::Time now);
  /// 0 if no short queue is known. Grows slowly while nothing is lost.
  base::ByteCount room(base::Time now) const;

 private:
  static constexpr std::size_t kNewestLosses = 8;

  void add(double room, base::Time now);

  std::array<double, kNewestLosses> rooms_{};  ///< bytes; ring
  std::size_t count_ = 0;
  base::Time newest_{};
  base::ByteCount frame_begins_;  ///< the first byte of the oldest frame that has not arrived
  base::BitRate pacing_;          ///< of the last observation
  bool recovering_ = false;
};

}  // namespace abr
