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

}  // namespace tcpinfo
