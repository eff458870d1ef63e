#include "transcoder/picture/picture_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace transcoder {

namespace {

/// The largest block whose rest a decoder adds to a picture (HEVC, 7.3.2.2).
constexpr std::int64_t kBlock = 64;

std::int64_t whole_blocks(int side) { return (side + kBlock - 1) / kBlock * kBlock; }

}  // namespace

bool is_picture_allowed(PictureSize picture, PictureSize most) {
  const auto width = whole_blocks(most.width);
  const auto height = whole_blocks(most.height);
  const auto longer = std::max(width, height);
  return picture.width <= longer && picture.height <= longer &&
         std::int64_t{picture.width} * picture.height <= width * height;
}

std::string picture_refusal(PictureSize picture, PictureSize most) {
  return fmt::format(
      "the picture is {}x{}; a source may have at most {}x{}: raise source.max_size, and "
      "source.memory",
      picture.width, picture.height, most.width, most.height);
}

}  // namespace transcoder
