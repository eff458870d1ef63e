#include "media/packet.h"

#include "media/flv.h"
#include "media/mp4.h"

namespace media {

std::span<const std::uint8_t> Packet::in(Container container) const {
  switch (container) {
    case Container::kFlv:
      return flv.get([this] { return flv_tag(*this); });
    case Container::kMp4:
      return mp4.get([this] { return mp4_fragment(*this); });
    case Container::kMpegTs:
      break;
  }
  return ts;
}

}  // namespace media
