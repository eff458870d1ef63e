#pragma once

#include <cstddef>

namespace abr {

/// Why a rate or a group is what it is. The log, metrics, status page and trace use these words.
enum class Reason {
  kStart,      ///< first decision for a viewer or group
  kHold,       ///< nothing changed
  kRexmt,      ///< the retransmission timer expired
  kDupack,     ///< a fast retransmit began
  kRestore,    ///< the connection was quiet long enough: one step up
  kCapacity,   ///< the rate follows the path's capacity
  kBacklog,    ///< the backlog has to drain
  kStep,       ///< one step up, not verified yet
  kMembers,    ///< a group's rate follows what its viewers sustain
  kMoveDown,   ///< a viewer cannot sustain its group
  kMoveUp,     ///< a viewer sustains a better group
  kShed,       ///< a viewer's group was closed because the encoders are behind
  kMerged,     ///< a viewer's group was not needed: another has nearly its rate
  kRequested,  ///< a segment player chose it
  kLimits,     ///< the operator has changed the limits
  kReader,     ///< the player reads no faster
};

inline constexpr std::size_t kReasonCount = static_cast<std::size_t>(Reason::kReader) + 1;

/// "start", "rexmt", "move_down", ...
const char* name(Reason reason);

}  // namespace abr
