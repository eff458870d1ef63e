#include "transcoder/encode/scene_cut.h"

#include <cstddef>
#include <cstdlib>
#include <utility>

namespace transcoder {

namespace {

constexpr int kBlock = 4;  // grain is gone from its mean, and shapes are still there

/// Pictures of one scene differ by up to 12 levels, and steadily so; those of two by 30 and more. A
/// cut amid so much motion as is not found costs little: its first picture is tried more often.
constexpr double kTimes = 3;
constexpr double kLeast = 5;

std::uint8_t mean(const std::uint8_t* corner, int stride) {
  int sum = 0;
  for (int y = 0; y < kBlock; ++y) {
    for (int x = 0; x < kBlock; ++x) sum += corner[y * stride + x];
  }
  return static_cast<std::uint8_t>(sum / (kBlock * kBlock));
}

std::vector<std::uint8_t> means(const media::Frame& frame) {
  const int columns = frame.format.width / kBlock;
  const int rows = frame.format.height / kBlock;
  std::vector<std::uint8_t> blocks;
  blocks.reserve(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows));
  for (int row = 0; row < rows; ++row) {
    const auto* line = frame.plane[0] + static_cast<std::ptrdiff_t>(row) * kBlock * frame.stride[0];
    for (int column = 0; column < columns; ++column) {
      blocks.push_back(mean(line + static_cast<std::ptrdiff_t>(column) * kBlock, frame.stride[0]));
    }
  }
  return blocks;
}

double difference(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
  return static_cast<double>(sum) / static_cast<double>(a.size());
}

}  // namespace

bool SceneCut::update(const media::Frame& frame) {
  const auto last = std::exchange(blocks_, means(frame));
  if (last.empty()) return false;
  const double now = difference(last, blocks_);
  const auto before = std::exchange(difference_, now);
  return before && now > kTimes * *before + kLeast;
}

}  // namespace transcoder
