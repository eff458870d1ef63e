#include "abr/reason.h"

namespace abr {

const char* name(Reason reason) {
  switch (reason) {
    case Reason::kStart:
      return "start";
    case Reason::kHold:
      return "hold";
    case Reason::kRexmt:
      return "rexmt";
    case Reason::kDupack:
      return "dupack";
    case Reason::kRestore:
      return "restore";
    case Reason::kCapacity:
      return "capacity";
    case Reason::kBacklog:
      return "backlog";
    case Reason::kStep:
      return "step";
    case Reason::kMembers:
      return "members";
    case Reason::kMoveDown:
      return "move_down";
    case Reason::kMoveUp:
      return "move_up";
    case Reason::kShed:
      return "shed";
    case Reason::kMerged:
      return "merged";
    case Reason::kRequested:
      return "requested";
    case Reason::kLimits:
      return "limits";
    case Reason::kReader:
      return "reader";
  }
  return "unknown";
}

}  // namespace abr
