#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "media/frame.h"

namespace control {

/// A picture, and the number that is read in it.
struct NumberedFrame {
  std::uint32_t number = 0;
  media::FramePtr frame;
};

/// What a player has on its screen as a recording goes on. Used by one thread.
class Screen {
 public:
  /// The recording's next picture whose number can be read; nullopt at its end.
  using Next = std::function<std::optional<NumberedFrame>()>;

  explicit Screen(Next next) : next_{std::move(next)}, ahead_{next_()} {}

  /// The picture of this number; where the recording has none, the last before it: never a later
  /// one. From call to call the number may not fall. Throws std::runtime_error when there is
  /// nothing to show.
  const NumberedFrame& show(std::uint32_t number);

 private:
  Next next_;
  std::optional<NumberedFrame> shown_;
  std::optional<NumberedFrame> ahead_;
};

}  // namespace control
