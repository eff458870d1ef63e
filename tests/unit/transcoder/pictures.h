#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "media/frame.h"

/// Synthetic pictures for tests and benchmarks: the same numbers give the same pixels.
namespace transcoder::test {

enum class Content {
  kStatic,  ///< a fixed textured picture: after the first one, nearly no bits are needed
  kMoving,  ///< a texture that moves, with camera noise: takes any rate
  kNoise,   ///< nothing can be predicted: the encoder's worst case
  kCuts,    ///< the moving texture, a new one every second at 30 pictures a second
};
inline constexpr Content kContents[] = {Content::kStatic, Content::kMoving, Content::kNoise,
                                        Content::kCuts};
std::string_view name(Content content);

class Pictures {
 public:
  Pictures(Content content, int width, int height);

  /// The next picture, at `pts`; numbered from 0.
  media::FramePtr next(media::Pts pts);

 private:
  void paint(std::vector<std::uint8_t>& luma) const;

  const Content content_;
  const int width_;
  const int height_;
  std::uint64_t number_ = 0;
  std::vector<std::int8_t> noise_;  ///< longer than a picture by kNoiseOffsets
};

}  // namespace transcoder::test
