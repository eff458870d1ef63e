#include "transcoder/gst/picture_header.h"

#include <algorithm>
#include <cstddef>

namespace transcoder {

namespace {

using Bytes = std::span<const std::uint8_t>;

int big_endian(Bytes data, std::size_t at) { return data[at] << 8 | data[at + 1]; }
int little_endian(Bytes data, std::size_t at) { return data[at + 1] << 8 | data[at]; }

bool has(Bytes data, std::size_t at, std::string_view text) {
  return data.size() >= at + text.size() &&
         std::equal(text.begin(), text.end(), data.begin() + static_cast<std::ptrdiff_t>(at),
                    [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; });
}

/// Markers of ITU-T T.81, B.1.1.3.
bool is_frame_header(int marker) {
  return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}

/// Segments without a length: TEM, RSTn, SOI.
bool stands_alone(int marker) { return marker == 0x01 || (marker >= 0xd0 && marker <= 0xd8); }

/// ITU-T T.81, B.2.2. The frame header precedes all data.
std::optional<PictureSize> jpeg_size(Bytes data) {
  std::size_t at = 0;
  while (at + 1 < data.size()) {
    const int marker = data[at + 1];
    if (data[at] != 0xff) return std::nullopt;
    if (marker == 0xff) {  // a fill byte
      ++at;
    } else if (stands_alone(marker)) {
      at += 2;
    } else if (is_frame_header(marker)) {
      if (at + 9 > data.size()) return std::nullopt;
      return PictureSize{big_endian(data, at + 7), big_endian(data, at + 5)};
    } else {
      if (at + 4 > data.size()) return std::nullopt;
      at += 2 + static_cast<std::size_t>(big_endian(data, at + 2));
    }
  }
  return std::nullopt;
}

/// The first chunk, IHDR: PNG specification, 11.2.1.
std::optional<PictureSize> png_size(Bytes data) {
  if (data.size() < 24 || !has(data, 0, "\x89PNG") || !has(data, 12, "IHDR")) return std::nullopt;
  const auto side = [&](std::size_t at) {
    return (big_endian(data, at) & 0x7fff) << 16 | big_endian(data, at + 2);
  };
  return PictureSize{side(16), side(20)};
}

/// Of a keyframe: RFC 6386, 9.1.
std::optional<PictureSize> vp8_size(Bytes data) {
  constexpr int kSizeBits = 0x3fff;
  if (data.size() < 10 || (data[0] & 1) != 0 || !has(data, 3, "\x9d\x01\x2a")) return std::nullopt;
  return PictureSize{little_endian(data, 6) & kSizeBits, little_endian(data, 8) & kSizeBits};
}

/// The identification header, in blocks of 16: Theora specification, 6.2.
std::optional<PictureSize> theora_size(Bytes data) {
  if (data.size() < 14 || !has(data, 0, "\x80theora")) return std::nullopt;
  return PictureSize{16 * big_endian(data, 10), 16 * big_endian(data, 12)};
}

}  // namespace

std::optional<PictureSize> size_in_header(std::string_view format,
                                          std::span<const std::uint8_t> data) {
  if (format == "image/jpeg") return jpeg_size(data);
  if (format == "image/png") return png_size(data);
  if (format == "video/x-vp8") return vp8_size(data);
  if (format == "video/x-theora") return theora_size(data);
  return std::nullopt;
}

}  // namespace transcoder
