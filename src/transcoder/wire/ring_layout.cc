#include "transcoder/wire/ring_layout.h"

#include <fmt/format.h>

namespace transcoder::wire {

std::string RingLayout::objection(std::size_t slot, const media::PictureFormat& format) const {
  if (slot >= slots_) return fmt::format("picture: slot {}", slot);
  if (!fits(format.width, format.height)) {
    return fmt::format("picture {}x{}", format.width, format.height);
  }
  return {};
}

}  // namespace transcoder::wire
