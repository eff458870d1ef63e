#include "recorded_messages.h"

#include <charconv>
#include <cstdint>

namespace tcpinfo {

Message message(std::string_view hex) {
  Message bytes;
  for (std::size_t at = 0; at < hex.size(); at += 2) {
    std::uint8_t byte = 0;
    std::from_chars(hex.data() + at, hex.data() + at + 2, byte, 16);
    bytes.push_back(std::byte{byte});
  }
  return bytes;
}

Message dumped_with_info_of(std::size_t length) {
  constexpr std::size_t kAttributeHeader = 4;
  const auto whole = message(kDumped);
  const auto at = [&](std::size_t offset) {
    return whole.begin() + static_cast<std::ptrdiff_t>(offset);
  };
  Message out{whole.begin(), at(kInfo)};
  const auto size = kAttributeHeader + length;
  out.insert(out.end(), {std::byte(size & 0xff), std::byte(size >> 8), std::byte{2}, std::byte{0}});
  Message info{at(kInfo + kAttributeHeader), at(kInfo + kAttributeHeader + kInfoLength)};
  info.resize((length + 3) / 4 * 4, std::byte{0xee});
  out.insert(out.end(), info.begin(), info.end());
  out.insert(out.end(), at(kInfo + kAttributeHeader + kInfoLength), whole.end());
  return out;
}

}  // namespace tcpinfo
