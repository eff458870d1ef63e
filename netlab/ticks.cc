#include "netlab/ticks.h"

namespace netlab {
namespace {

constexpr Ticks kWrap = Ticks{1} << 33;

}  // namespace

Ticks TickUnwrapper::unwrap(std::uint64_t wrapped) {
  Ticks ticks = static_cast<Ticks>(wrapped);
  if (last_) {
    ticks += (*last_ - ticks) / kWrap * kWrap;
    if (ticks - *last_ > kWrap / 2) ticks -= kWrap;
    if (*last_ - ticks > kWrap / 2) ticks += kWrap;
  }
  last_ = ticks;
  return ticks;
}

}  // namespace netlab
