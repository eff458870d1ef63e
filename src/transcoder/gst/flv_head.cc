#include "transcoder/gst/flv_head.h"

#include <algorithm>
#include <string_view>

namespace transcoder {

namespace {

constexpr std::string_view kSignature = "FLV";
constexpr std::size_t kFlvHeader = 9 + 4;  // with the size of the tag before the first one
constexpr std::size_t kTagHeader = 11;
constexpr std::size_t kTagSize = 4;  // after each tag
constexpr int kScriptData = 18;
constexpr int kTypeBits = 0x1f;

}  // namespace

bool is_flv_head(std::span<const std::uint8_t> bytes) {
  if (bytes.size() < kFlvHeader ||
      !std::ranges::equal(bytes.first(kSignature.size()), kSignature)) {
    return false;
  }
  bytes = bytes.subspan(kFlvHeader);
  while (!bytes.empty()) {
    if ((bytes[0] & kTypeBits) != kScriptData) return false;
    if (bytes.size() < kTagHeader) return true;
    const std::size_t data = bytes[1] << 16 | bytes[2] << 8 | bytes[3];
    bytes = bytes.subspan(std::min(bytes.size(), kTagHeader + data + kTagSize));
  }
  return true;
}

}  // namespace transcoder
