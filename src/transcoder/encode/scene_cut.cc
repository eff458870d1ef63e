#include "transcoder/encode/scene_cut.h"

#include <cstddef>
#include <cstdlib>
#include <utility>

namespace transcoder {

namespace {

/// The mean of a block of 4 x 4 pixels hides grain but keeps shapes.
constexpr int kBlockSide = 4;

/// Pictures of one scene differ by up to 12 luma levels, and steadily; those of two scenes differ
/// by 30 or more. Missing a cut amid strong motion costs little: its first frame needs more
/// attempts.
constexpr double kMinDifferenceRatio = 3;
constexpr double kMinDifferenceLevels = 5;

std::uint8_t mean(const std::uint8_t* corner, int stride) {
  int sum = 0;
  for (int y = 0; y < kBlockSide; ++y) {
    for (int x = 0; x < kBlockSide; ++x) sum += corner[y * stride + x];
  }
  return static_cast<std::uint8_t>(sum / (kBlockSide * kBlockSide));
}

std::vector<std::uint8_t> means(const media::Frame& frame) {
  const int columns = frame.format.width / kBlockSide;
  const int rows = frame.format.height / kBlockSide;
  std::vector<std::uint8_t> blocks;
  blocks.reserve(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows));
  for (int row = 0; row < rows; ++row) {
    const auto* line =
        frame.plane[0] + static_cast<std::ptrdiff_t>(row) * kBlockSide * frame.stride[0];
    for (int column = 0; column < columns; ++column) {
      blocks.push_back(
          mean(line + static_cast<std::ptrdiff_t>(column) * kBlockSide, frame.stride[0]));
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
  return before && now > kMinDifferenceRatio * *before + kMinDifferenceLevels;
}

}  // namespace transcoder
