#pragma once

#include "base/units.h"

namespace abr {

/// The current estimate of a viewer's path. Rates are TCP payload.
struct PathState {
  /// From the spacing of ACKs. Whole frames and the delivery over half a second raise it; the
  /// drain rate lowers it. 0 means unknown.
  base::BitRate capacity;
  base::BitRate highest;            ///< highest recent capacity by packet trains
  bool capacity_recent = false;     ///< a recent frame has shown the capacity or agreed with it
  bool train_recent = false;        ///< a recent packet train has shown the capacity
  bool upper_bound_recent = false;  ///< a recent frame showed that it is not much too low
  bool trains_agree = false;        ///< the newest trains show about the same capacity
  base::BitRate drain_rate;         ///< delivery rate while data is overdue, 0 if none is
  base::BitRate policer_rate;       ///< sustained rate of a token bucket, 0 if there is none
  base::BitRate reader_rate;        ///< rate that the player reads; 0: it is not the limit
  base::BitRate cwnd_rate;          ///< rate that the window allows; 0: it is not the limit
  base::ByteCount frame_size;       ///< of the newest frame
  base::Duration round_trip{};      ///< base RTT
  base::Duration transit{};  ///< shortest of three frames' times to their ACK, beyond the base RTT
  base::Duration queueing_delay{};  ///< shortest wait of the newest three frames
  base::Duration queue{};           ///< the same of frames without loss or closed window
  base::Duration jitter{};          ///< variation of ACK times on an idle path
  bool cross_traffic = false;       ///< others' flows keep the bottleneck's queue filled
  bool others_seen = false;         ///< frames arrive as from a queue that others fill
  base::ByteCount queue_room;       ///< part of a frame that a short queue holds; 0 if unknown
  base::ByteCount backlog;          ///< undelivered data, less a full pipe and the newest frame
};

}  // namespace abr
