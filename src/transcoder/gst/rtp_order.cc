#include "transcoder/gst/rtp_order.h"

namespace transcoder {

namespace {

constexpr std::size_t kHeaderBytes = 12;
constexpr int kVersion = 2;

/// A longer step is a new beginning of the sender: RFC 3550, A.1, has 3000 (MAX_DROPOUT) for
/// packets of any size; these are a second of 5 Mbit/s.
constexpr std::int64_t kMaxSequenceStep = 500;

std::size_t number(std::span<const std::uint8_t> bytes, std::size_t at) {
  return static_cast<std::size_t>(bytes[at] << 8 | bytes[at + 1]);
}

}  // namespace

std::optional<RtpPacket> parse_rtp(std::span<const std::uint8_t> bytes) {
  if (bytes.size() < kHeaderBytes || bytes[0] >> 6 != kVersion) return std::nullopt;
  const bool padded = (bytes[0] & 0x20) != 0;
  const bool extended = (bytes[0] & 0x10) != 0;
  std::size_t begin = kHeaderBytes + 4 * static_cast<std::size_t>(bytes[0] & 0x0f);
  if (extended && begin + 4 <= bytes.size()) begin += 4 + 4 * number(bytes, begin + 2);
  const std::size_t padding = padded ? bytes.back() : 0;
  if (begin + padding > bytes.size()) return std::nullopt;
  return RtpPacket{.payload_type = bytes[1] & 0x7f,
                   .sequence = static_cast<std::uint16_t>(number(bytes, 2)),
                   .source = static_cast<std::uint32_t>(number(bytes, 8) << 16 | number(bytes, 10)),
                   .payload = bytes.subspan(begin, bytes.size() - begin - padding)};
}

std::vector<std::uint8_t> RtpOrder::push(const RtpPacket& packet) {
  std::vector<std::uint8_t> out;
  const auto step = static_cast<std::int16_t>(packet.sequence - static_cast<std::uint16_t>(next_));
  const bool jumped = step > kMaxSequenceStep || step < -kMaxSequenceStep;
  late_ = step < 0 ? late_ + 1 : 0;
  if (!begun_ || packet.source != source_ || jumped || late_ > kWindow) restart(packet, out);
  const auto number =
      next_ + static_cast<std::int16_t>(packet.sequence - static_cast<std::uint16_t>(next_));
  if (number >= next_) waiting_.try_emplace(number, packet.payload.begin(), packet.payload.end());
  if (waiting_.size() > kWindow) next_ = waiting_.begin()->first;
  release(out);
  return out;
}

/// The sender starts again with this packet.
void RtpOrder::restart(const RtpPacket& packet, std::vector<std::uint8_t>& out) {
  while (!waiting_.empty()) {
    next_ = waiting_.begin()->first;
    release(out);
  }
  begun_ = true;
  source_ = packet.source;
  next_ = packet.sequence;
  late_ = 0;
}

void RtpOrder::release(std::vector<std::uint8_t>& out) {
  for (auto first = waiting_.begin(); first != waiting_.end() && first->first == next_;
       first = waiting_.erase(first), ++next_) {
    out.insert(out.end(), first->second.begin(), first->second.end());
  }
}

}  // namespace transcoder
