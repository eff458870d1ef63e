#include "transcoder/gst/ts_section.h"

#include <algorithm>
#include <utility>

namespace transcoder {

namespace {

constexpr std::size_t kLengthEnd = 3;  ///< bytes up to the end of section_length
constexpr std::size_t kMinSection = 12;
/// Of the sections that ISO/IEC 13818-1 defines. A larger length is a damaged one.
constexpr std::size_t kMaxSection = 1024;
constexpr std::uint8_t kStuffing = 0xff;  ///< where a table_id would be

std::size_t section_size(std::span<const std::uint8_t> section) {
  return kLengthEnd + (static_cast<std::size_t>(section[1] & 0x0f) << 8 | section[2]);
}

}  // namespace

std::uint32_t ts_crc32(std::span<const std::uint8_t> bytes) {
  std::uint32_t crc = 0xffffffff;
  for (const auto byte : bytes) {
    crc ^= std::uint32_t{byte} << 24;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc & 0x80000000) != 0 ? crc << 1 ^ 0x04c11db7 : crc << 1;
    }
  }
  return crc;
}

std::vector<TsSection> TsSectionReader::read(std::span<const std::uint8_t> payload, bool start,
                                             int counter) {
  std::vector<TsSection> done;
  const bool again = counter_ == counter && std::ranges::equal(payload, payload_);
  const bool next = counter_ && (*counter_ + 1) % 16 == counter;
  // A packet may be sent twice (ISO/IEC 13818-1, 2.4.3.3); a start is read again.
  if (again && !start) return done;
  counter_ = counter;
  payload_.assign(payload.begin(), payload.end());
  if (!next) reading_ = false;
  if (!start) {
    append(payload, done);
    return done;
  }
  const std::size_t pointer = payload.empty() ? 0 : payload[0];
  if (payload.empty() || 1 + pointer > payload.size()) {
    reading_ = false;
    return done;
  }
  append(payload.subspan(1, pointer), done);
  rest_.clear();
  reading_ = true;
  append(payload.subspan(1 + pointer), done);
  return done;
}

/// Goes on with the section that has begun, if one has, and with those behind it.
void TsSectionReader::append(std::span<const std::uint8_t> bytes, std::vector<TsSection>& done) {
  if (!reading_) return;
  rest_.insert(rest_.end(), bytes.begin(), bytes.end());
  while (!rest_.empty() && rest_[0] != kStuffing) {
    if (rest_.size() < kLengthEnd) return;
    const auto size = section_size(rest_);
    if (size > kMaxSection) break;
    if (rest_.size() < size) return;
    const auto end = rest_.begin() + static_cast<std::ptrdiff_t>(size);
    TsSection section(rest_.begin(), end);
    if (size >= kMinSection && ts_crc32(section) == 0) done.push_back(std::move(section));
    rest_.erase(rest_.begin(), end);
  }
  // After stuffing nothing follows before the next start, nor after a wrong length, nor after a
  // section that ends with its packet: the next one has a pointer.
  rest_.clear();
  reading_ = false;
}

std::vector<TsPacket> ts_packets(int pid, std::span<const std::uint8_t> section, int& counter) {
  std::vector<TsPacket> result;
  for (bool start = true; !section.empty(); start = false) {
    auto& packet = result.emplace_back();
    packet.fill(kStuffing);
    packet[0] = 0x47;
    packet[1] = static_cast<std::uint8_t>((start ? 0x40 : 0) | pid >> 8);
    packet[2] = static_cast<std::uint8_t>(pid);
    packet[3] = static_cast<std::uint8_t>(0x10 | counter);
    if (start) packet[4] = 0;  // pointer_field
    counter = (counter + 1) % 16;
    const std::size_t begin = start ? 5 : 4;
    const auto size = std::min(section.size(), kTsPacketBytes - begin);
    std::copy_n(section.begin(), size, packet.begin() + static_cast<std::ptrdiff_t>(begin));
    section = section.subspan(size);
  }
  return result;
}

}  // namespace transcoder
