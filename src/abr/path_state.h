#pragma once

#include "base/units.h"

namespace abr {

/// What is believed of a viewer's path. Rates are of TCP's payload.
struct PathState {
  /// By the spacing of acknowledgements; raised by whole pictures and by half a second's delivery,
  /// lowered to what arrives while something waits. 0: unknown.
  base::BitRate capacity;
  base::BitRate highest;  ///< by spacing, lately: what the link carries, whoever else uses it
  bool fresh = false;     ///< a picture has told of it, or agreed with it, not long ago
  bool trains = false;    ///< a train has
  bool bounded = false;   ///< it is not much too low: a train, or a picture, not long ago
  bool certain = false;   ///< the newest trains agree
  base::BitRate service;  ///< what is delivered while something waits; 0: nothing does, or unknown
  base::BitRate policed;  ///< what a token bucket lets through for long; 0: none was found
  base::BitRate allowance;      ///< what the congestion window lets through; 0: it is not the limit
  base::ByteCount picture;      ///< size of the newest
  base::Duration round_trip{};  ///< with nothing in the way
  base::Duration transit{};     ///< least of the newest three pictures, beyond the round trip
  base::Duration queueing{};    ///< least that the heads of the newest three pictures waited
  base::Duration jitter{};      ///< what acknowledgements vary by while nothing waits
  bool shared = false;          ///< others keep the bottleneck's queue filled
  base::ByteCount backlog;      ///< what waits, beyond what fills the pipe and the newest picture
};

}  // namespace abr
