#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace netlab {

/// Removes the framing of an HTTP/1.1 chunked body (RFC 9112 section 7.1), fed in any pieces.
class ChunkDecoder {
 public:
  enum class State { kSize, kData, kDataEnd, kTrailer, kDone, kBroken };
  using Sink = std::function<void(std::span<const std::uint8_t>)>;

  explicit ChunkDecoder(Sink sink) : sink_{std::move(sink)} {}

  void feed(std::span<const std::uint8_t> bytes);
  State state() const { return state_; }

 private:
  std::size_t take_data(std::span<const std::uint8_t> bytes);
  void take_line_byte(char byte);
  void end_line();
  State parse_size();

  Sink sink_;
  State state_ = State::kSize;
  std::string line_;
  std::size_t left_ = 0;  // bytes of the current chunk's data
};

}  // namespace netlab
