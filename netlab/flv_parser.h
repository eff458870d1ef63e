#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "netlab/stream_parser.h"

namespace netlab {

/// Finds the coded pictures of an FLV stream with H.264 video (Adobe Flash Video File Format
/// Specification 10.1, annex E).
class FlvParser : public StreamParser {
 public:
  explicit FlvParser(OnPicture on_picture) : on_picture_{std::move(on_picture)} {}

  void feed(std::span<const std::uint8_t> bytes, base::Time arrival) override;
  /// Tags of an unknown type or with a wrong size after them. After one of an unknown type nothing
  /// more is found.
  std::uint64_t errors() const override { return errors_; }

 private:
  using Bytes = std::span<const std::uint8_t>;

  std::optional<std::size_t> take_header();
  std::optional<std::size_t> take_tag(Bytes rest, base::Time arrival);
  void take_video(Bytes tag, base::Time arrival);

  const OnPicture on_picture_;
  std::vector<std::uint8_t> partial_;
  bool has_header_ = false;
  bool broken_ = false;
  std::uint64_t pictures_ = 0;
  std::uint64_t errors_ = 0;
};

}  // namespace netlab
