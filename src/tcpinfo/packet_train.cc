#include "tcpinfo/packet_train.h"

namespace tcpinfo {

base::ByteCount train_head(base::ByteCount size, std::uint32_t mss) {
  const auto least = std::int64_t{kHeadSegments + kTailSegments} * mss;
  if (mss == 0 || size.bytes() < least) return {};
  return base::ByteCount{std::int64_t{kHeadSegments} * mss};
}

}  // namespace tcpinfo
