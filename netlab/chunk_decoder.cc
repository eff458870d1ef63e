#include "netlab/chunk_decoder.h"

#include <algorithm>
#include <charconv>

namespace netlab {
namespace {

constexpr std::size_t kMaxLine =
    1024;  // of a size with extensions, or a trailer; symcast's have 10 bytes

}  // namespace

void ChunkDecoder::feed(std::span<const std::uint8_t> bytes) {
  while (!bytes.empty() && state_ != State::kDone && state_ != State::kBroken) {
    std::size_t used = 1;
    if (state_ == State::kData) {
      used = take_data(bytes);
    } else {
      take_line_byte(static_cast<char>(bytes.front()));
    }
    bytes = bytes.subspan(used);
  }
}

std::size_t ChunkDecoder::take_data(std::span<const std::uint8_t> bytes) {
  const std::size_t size = std::min(left_, bytes.size());
  sink_(bytes.first(size));
  left_ -= size;
  if (left_ == 0) state_ = State::kDataEnd;
  return size;
}

void ChunkDecoder::take_line_byte(char byte) {
  line_.push_back(byte);
  if (line_.ends_with("\r\n")) {
    line_.resize(line_.size() - 2);
    end_line();
    line_.clear();
  } else if (line_.size() > kMaxLine) {
    state_ = State::kBroken;
  }
}

void ChunkDecoder::end_line() {
  switch (state_) {
    case State::kSize:
      state_ = parse_size();
      break;
    case State::kDataEnd:
      state_ = line_.empty() ? State::kSize : State::kBroken;
      break;
    case State::kTrailer:
      if (line_.empty()) state_ = State::kDone;
      break;
    default:
      break;
  }
}

ChunkDecoder::State ChunkDecoder::parse_size() {
  const char* const last = line_.data() + std::min(line_.find(';'), line_.size());
  const auto [end, error] = std::from_chars(line_.data(), last, left_, 16);
  if (error != std::errc{} || end != last) return State::kBroken;
  return left_ == 0 ? State::kTrailer : State::kData;
}

}  // namespace netlab
