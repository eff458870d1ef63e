#include "screen.h"

#include <stdexcept>
#include <string>

namespace control {

const NumberedFrame& Screen::show(std::uint32_t number) {
  while (ahead_ && ahead_->number <= number) {
    shown_ = std::move(ahead_);
    ahead_ = next_();
  }
  if (!shown_) {
    throw std::runtime_error{"picture " + std::to_string(number) +
                             " of the plan is before all of the recording"};
  }
  return *shown_;
}

}  // namespace control
