#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "media/frame.h"
#include "transcoder/picture/picture_pool.h"
#include "transcoder/picture/sdr_colour.h"

namespace transcoder {

/// A picture in memory: planar 4:2:0 with 10 bits in 16, little endian (I420_10LE).
struct DeepPicture {
  media::PictureFormat format;
  std::array<const std::uint8_t*, 3> plane{};  ///< Y, U, V
  std::array<int, 3> stride{};                 ///< bytes
  double peak = kNominalPeak;                  ///< see SdrColour
};

/// Converts pictures of wide colour to BT.709 with 8 bits, by a table of SdrColour, linearly
/// interpolated. The table takes 1.1 MB, and 0.1 s at the first picture of a colour; 720p takes
/// about 8 ms. Used by one thread.
class ToneMap {
 public:
  /// The result has no times and no number.
  media::Frame convert(const DeepPicture& picture);

 private:
  /// Y, Cb and Cr in 1/64, padded to a word.
  using Entry = std::array<std::int16_t, 4>;

  void prepare(const DeepPicture& picture);
  void convert_rows(const DeepPicture& picture, const Canvas& canvas, int row) const;

  std::vector<Entry> table_;  ///< by Cb, Cr and Y, the last one fastest
  media::Colour colour_;      ///< of table_
  double peak_ = 0;           ///< of table_
  PictureSize size_;          ///< of pool_
  std::optional<PicturePool> pool_;
};

}  // namespace transcoder
