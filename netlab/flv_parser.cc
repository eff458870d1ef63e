#include "netlab/flv_parser.h"

namespace netlab {
namespace {

constexpr std::size_t kFileHeader = 9;
constexpr std::size_t kTagHeader = 11;
constexpr std::size_t kTagSize = 4;  // after each tag, and after the file header
constexpr std::uint8_t kAudio = 8;
constexpr std::uint8_t kVideo = 9;
constexpr std::uint8_t kScript = 18;
constexpr std::uint8_t kKeyframe = 1;    // FrameType, in the upper half of a video tag's first byte
constexpr std::uint8_t kNalUnits = 1;    // AVCPacketType
constexpr std::size_t kVideoHeader = 5;  // with AVCPacketType and CompositionTime

std::uint32_t u24(std::span<const std::uint8_t> bytes) {
  return std::uint32_t{bytes[0]} << 16 | std::uint32_t{bytes[1]} << 8 | bytes[2];
}

std::uint32_t u32(std::span<const std::uint8_t> bytes) {
  return std::uint32_t{bytes[0]} << 24 | u24(bytes.subspan(1));
}

}  // namespace

void FlvParser::feed(Bytes bytes, base::Time arrival) {
  if (broken_) return;
  partial_.insert(partial_.end(), bytes.begin(), bytes.end());
  std::size_t at = 0;
  while (!broken_) {
    const auto taken = has_header_ ? take_tag(Bytes{partial_}.subspan(at), arrival) : take_header();
    if (!taken) break;
    at += *taken;
  }
  partial_.erase(partial_.begin(), partial_.begin() + static_cast<std::ptrdiff_t>(at));
}

std::optional<std::size_t> FlvParser::take_header() {
  if (partial_.size() < kFileHeader + kTagSize) return std::nullopt;
  has_header_ = partial_[0] == 'F' && partial_[1] == 'L' && partial_[2] == 'V';
  broken_ = !has_header_;
  errors_ += broken_;
  return kFileHeader + kTagSize;
}

std::optional<std::size_t> FlvParser::take_tag(Bytes rest, base::Time arrival) {
  if (rest.size() < kTagHeader) return std::nullopt;
  const std::size_t size = kTagHeader + u24(rest.subspan(1));
  if (rest.size() < size + kTagSize) return std::nullopt;
  const auto type = rest[0];
  broken_ = type != kAudio && type != kVideo && type != kScript;
  errors_ += broken_ || u32(rest.subspan(size)) != size;
  if (type == kVideo) take_video(rest.first(size), arrival);
  return size + kTagSize;
}

void FlvParser::take_video(Bytes tag, base::Time arrival) {
  const Bytes data = tag.subspan(kTagHeader);
  if (data.size() < kVideoHeader || data[1] != kNalUnits) return;
  const std::int64_t milliseconds = std::int64_t{tag[7]} << 24 | u24(tag.subspan(4));
  on_picture_({.index = pictures_++,
               .pts = milliseconds * kTicksPerSecond / 1000,
               .arrival = arrival,
               .bytes = data.size() - kVideoHeader,
               .keyframe = data[0] >> 4 == kKeyframe});
}

}  // namespace netlab
