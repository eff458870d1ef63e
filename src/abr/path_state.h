#pragma once

#include "base/units.h"

namespace abr {

/// What is believed of a viewer's path. Rates are of TCP's payload.
struct PathState {
  /// By the spacing of acknowledgements; raised by whole frames and by half a second's delivery,
  /// lowered to what arrives while something waits. 0: unknown.
  base::BitRate capacity;
  base::BitRate highest;  ///< by spacing, lately: what the link carries, whoever else uses it
  bool capacity_recent = false;     ///< a frame has told of it, or agreed with it, not long ago
  bool train_recent = false;        ///< a train has
  bool upper_bound_recent = false;  ///< it is not much too low: a train, or a frame, not long ago
  bool trains_agree = false;        ///< the newest trains agree
  base::BitRate
      drain_rate;  ///< what is delivered while something waits; 0: nothing does, or unknown
  base::BitRate policer_rate;   ///< what a token bucket lets through for long; 0: none was found
  base::BitRate cwnd_rate;      ///< what the congestion window lets through; 0: it is not the limit
  base::ByteCount frame_size;   ///< size of the newest
  base::Duration round_trip{};  ///< with nothing in the way
  base::Duration transit{};     ///< least of the newest three frames, beyond the round trip
  base::Duration queueing_delay{};  ///< least that the heads of the newest three frames waited
  base::Duration jitter{};          ///< what acknowledgements vary by while nothing waits
  bool cross_traffic = false;       ///< others keep the bottleneck's queue filled
  base::ByteCount backlog;          ///< what waits, beyond what fills the pipe and the newest frame
};

}  // namespace abr
