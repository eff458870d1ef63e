#pragma once

#include <cstddef>

namespace abr {

/// Why a rate or a group is what it is. Log, metrics, status page and trace share these words.
enum class Reason {
  kStart,     ///< first decision for a viewer or group
  kHold,      ///< nothing has changed
  kRexmt,     ///< retransmission timer expired
  kDupack,    ///< fast retransmit began
  kRestore,   ///< quiet long enough: one step up
  kCapacity,  ///< the path carries that much
  kBacklog,   ///< what waits has to drain
  kStep,      ///< one step up, to be verified
  kMembers,   ///< a group's rate follows what its viewers sustain
  kMoveDown,  ///< a viewer cannot sustain its group
  kMoveUp,    ///< a viewer sustains a better group
  kShed,      ///< a viewer's group is closed: the encoders are behind
  kAsked,     ///< a segment player chose it
};

inline constexpr std::size_t kReasons = static_cast<std::size_t>(Reason::kAsked) + 1;

/// "start", "rexmt", "move_down", ...
const char* name(Reason reason);

}  // namespace abr
