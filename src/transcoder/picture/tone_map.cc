#include "transcoder/picture/tone_map.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace transcoder {

namespace {

/// The table has a value at every 32nd code of Y and every 16th of Cb and Cr. Half of the colours
/// are then less than 0.2 codes off, and 99 % of moderate ones less than 5; the others are where
/// light or hue is clipped. Half the distances change the former little, and would need 9 MB.
constexpr int kLumaBits = 5;
constexpr int kChromaBits = 4;
constexpr int kLumaStep = 1 << kLumaBits;
constexpr int kChromaStep = 1 << kChromaBits;
constexpr int kLumaNodes = 1024 / kLumaStep + 1;
constexpr int kChromaNodes = 1024 / kChromaStep + 1;
constexpr int kMaxDeepCode = 1023;
constexpr int kFractionBits = 6;  // of an entry; 240 then has 14 bits

int deep_code(const std::uint8_t* row, int x) {
  std::uint16_t code = 0;
  std::memcpy(&code, row + 2 * static_cast<std::ptrdiff_t>(x), sizeof code);
  return std::min<int>(code, kMaxDeepCode);
}

/// The four columns of the table around a chroma value, and their weights, whose sum is 256.
template <typename Entry>
struct Columns {
  std::array<const Entry*, 4> column;
  std::array<int, 4> weight;

  Columns(const std::vector<Entry>& table, int cb, int cr) {
    const int b = cb >> kChromaBits;
    const int r = cr >> kChromaBits;
    const int b_part = cb % kChromaStep;
    const int r_part = cr % kChromaStep;
    const auto at = [&](int i, int j) {
      return table.data() + static_cast<std::ptrdiff_t>(i * kChromaNodes + j) * kLumaNodes;
    };
    column = {at(b, r), at(b, r + 1), at(b + 1, r), at(b + 1, r + 1)};
    weight = {(kChromaStep - b_part) * (kChromaStep - r_part), (kChromaStep - b_part) * r_part,
              b_part * (kChromaStep - r_part), b_part * r_part};
  }

  std::uint8_t at(int luma, std::size_t component) const {
    constexpr int kBits = kLumaBits + 2 * kChromaBits + kFractionBits;
    const int node = luma >> kLumaBits;
    const int part = luma % kLumaStep;
    int low = 0;
    int high = 0;
    for (std::size_t i = 0; i < column.size(); ++i) {
      low += weight[i] * column[i][node][component];
      high += weight[i] * column[i][node + 1][component];
    }
    const int sum = low * (kLumaStep - part) + high * part;
    return static_cast<std::uint8_t>((sum + (1 << (kBits - 1))) >> kBits);
  }
};

}  // namespace

void ToneMap::prepare(const DeepPicture& picture) {
  const PictureSize size{picture.format.width, picture.format.height};
  if (!pool_ || size != size_) pool_.emplace(size);
  size_ = size;
  if (!table_.empty() && colour_ == picture.format.colour && peak_ == picture.peak) return;
  colour_ = picture.format.colour;
  peak_ = picture.peak;
  const SdrColour sdr{colour_, peak_};
  table_.clear();
  for (int cb = 0; cb < kChromaNodes; ++cb) {
    for (int cr = 0; cr < kChromaNodes; ++cr) {
      for (int y = 0; y < kLumaNodes; ++y) {
        const auto code =
            sdr.convert({1. * y * kLumaStep, 1. * cb * kChromaStep, 1. * cr * kChromaStep});
        auto& entry = table_.emplace_back();
        for (std::size_t i = 0; i < code.size(); ++i)
          entry[i] = static_cast<std::int16_t>(std::lround(code[i] * (1 << kFractionBits)));
      }
    }
  }
}

/// Converts two rows of luma and one of chroma.
void ToneMap::convert_rows(const DeepPicture& picture, const Canvas& canvas, int row) const {
  const auto from = [&](std::size_t plane, int y) {
    return picture.plane[plane] + static_cast<std::ptrdiff_t>(y) * picture.stride[plane];
  };
  const auto to = [&](std::size_t plane, int y) {
    return canvas.plane[plane] + static_cast<std::ptrdiff_t>(y) * canvas.stride[plane];
  };
  for (int x = 0; x < canvas.width / 2; ++x) {
    const Columns columns{table_, deep_code(from(1, row), x), deep_code(from(2, row), x)};
    int sum = 0;
    for (const int y : {2 * row, 2 * row + 1}) {
      for (const int column : {2 * x, 2 * x + 1}) {
        const int luma = deep_code(from(0, y), column);
        to(0, y)[column] = columns.at(luma, 0);
        sum += luma;
      }
    }
    to(1, row)[x] = columns.at(sum / 4, 1);
    to(2, row)[x] = columns.at(sum / 4, 2);
  }
}

media::Frame ToneMap::convert(const DeepPicture& picture) {
  prepare(picture);
  const auto result = pool_->take();
  for (int row = 0; row < size_.height / 2; ++row) convert_rows(picture, result.canvas, row);
  media::Frame frame{.format = picture.format};
  frame.format.colour = SdrColour::kResult;
  frame.plane = {result.canvas.plane[0], result.canvas.plane[1], result.canvas.plane[2]};
  frame.stride = result.canvas.stride;
  frame.memory = result.memory;
  return frame;
}

}  // namespace transcoder
