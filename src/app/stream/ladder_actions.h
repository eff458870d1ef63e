#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>

#include "abr/reason.h"
#include "base/units.h"
#include "media/frame.h"

namespace app {

using GroupIndex = std::uint32_t;
using ViewerId = std::uint64_t;

/// What the ladder does to the world; called with its lock held, except `close`.
struct LadderActions {
  /// May throw: then there is no such group.
  std::function<void(GroupIndex, base::BitRate)> open;
  /// Told when `open` threw and the ladder goes on without.
  std::function<void(const std::exception&)> open_failed;
  std::function<void(GroupIndex)> close;
  std::function<void(GroupIndex, base::BitRate)> retarget;
  /// The pts from which the group has a keyframe, at least so long after now.
  std::function<media::Pts(GroupIndex, base::Duration)> schedule_keyframe;
  std::function<void(ViewerId, GroupIndex, media::Pts, abr::Reason)> move;
  /// More groups than so many are wanted and allowed, and the CPUs cannot hold them.
  std::function<void(std::size_t)> refuse;
  /// The encoders are behind: this group's viewers share slower ones from now on.
  std::function<void(GroupIndex)> shed;
};

}  // namespace app
