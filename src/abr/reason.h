#pragma once

namespace abr {

/// Why a rate or a group is what it is. Log, metrics, status page and trace share these words.
enum class Reason {
  kStart,     ///< first decision for a viewer or group
  kHold,      ///< nothing has changed
  kRexmt,     ///< retransmission timer expired
  kDupack,    ///< fast retransmit began
  kRestore,   ///< quiet long enough: one step up
  kMembers,   ///< a group's rate follows what its viewers sustain
  kMoveDown,  ///< a viewer cannot sustain its group
  kMoveUp,    ///< a viewer sustains a better group
};

/// "start", "rexmt", "move_down", ...
const char* name(Reason reason);

}  // namespace abr
