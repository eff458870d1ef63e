#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "media/frame.h"

namespace control {

/// A picture, and the number that was read from it.
struct NumberedFrame {
  std::uint32_t number = 0;
  media::FramePtr frame;
};

/// The picture that a player has on its screen while a recording plays. Used by one thread.
class Screen {
 public:
  /// Returns the recording's next picture with a readable number; nullopt at the end.
  using Next = std::function<std::optional<NumberedFrame>()>;

  explicit Screen(Next next) : next_{std::move(next)}, ahead_{next_()} {}

  /// The picture with this number, or, if the recording does not have it, the last one before it.
  /// Numbers may not fall from call to call. Throws std::runtime_error if there is nothing to show.
  const NumberedFrame& show(std::uint32_t number);

 private:
  Next next_;
  std::optional<NumberedFrame> shown_;
  std::optional<NumberedFrame> ahead_;
};

}  // namespace control
