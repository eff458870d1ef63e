#pragma once

#include <cstdint>

#include "abr/reason.h"
#include "base/units.h"
#include "media/frame.h"

namespace app {

using GroupIndex = std::uint32_t;
using ViewerId = std::uint64_t;

/// The actions of one stream's ladder on its encode groups and viewers. Implemented by LiveStream.
/// Called with the ladder's lock held, except close().
class LadderActions {
 public:
  virtual ~LadderActions() = default;
  /// Throws if no encoder can be opened; the group does not exist then.
  virtual void open(GroupIndex group, base::BitRate rate) = 0;
  virtual void close(GroupIndex group) = 0;
  virtual void retarget(GroupIndex group, base::BitRate rate) = 0;
  /// Returns the pts of the group's first keyframe that is at least `earliest` from now.
  virtual media::Pts schedule_keyframe(GroupIndex group, base::Duration earliest) = 0;
  /// From pts `at` on, the viewer receives the frames of `group`.
  virtual void move(ViewerId viewer, GroupIndex group, media::Pts at, abr::Reason reason) = 0;
};

}  // namespace app
