#include "transcoder/gst/rtcp_name.h"

#include <cstddef>
#include <string_view>

namespace transcoder {

namespace {

// RFC 3550, 12.1 and 6.5.
constexpr std::uint8_t kSenderReport = 200;
constexpr std::uint8_t kSourceDescription = 202;
constexpr std::size_t kWord = 4;
constexpr std::size_t kSender = 4;  ///< where a report names the sender's SSRC
constexpr std::string_view kName = "sender";

/// Version 2, one chunk; the name, the end of the items, and padding to a word.
std::vector<std::uint8_t> description(std::span<const std::uint8_t> ssrc) {
  std::vector<std::uint8_t> result{0x81, kSourceDescription, 0, 0};
  result.insert(result.end(), ssrc.begin(), ssrc.end());
  result.insert(result.end(), {1, static_cast<std::uint8_t>(kName.size())});
  result.insert(result.end(), kName.begin(), kName.end());
  do {
    result.push_back(0);
  } while (result.size() % kWord != 0);
  result[3] = static_cast<std::uint8_t>(result.size() / kWord - 1);
  return result;
}

}  // namespace

std::optional<std::vector<std::uint8_t>> with_name(std::span<const std::uint8_t> packets) {
  if (packets.size() < kSender + kWord || packets[1] != kSenderReport) return std::nullopt;
  auto rest = packets;
  while (rest.size() >= kWord) {
    if (rest[1] == kSourceDescription || (rest[0] & 0x20) != 0)
      return std::nullopt;  // padding ends
    const auto size = kWord * (1 + static_cast<std::size_t>(rest[2] << 8 | rest[3]));
    if (size > rest.size()) return std::nullopt;
    rest = rest.subspan(size);
  }
  std::vector<std::uint8_t> result{packets.begin(), packets.end()};
  const auto added = description(packets.subspan(kSender, kWord));
  result.insert(result.end(), added.begin(), added.end());
  return result;
}

}  // namespace transcoder
