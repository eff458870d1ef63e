#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "media/frame.h"

/// Synthetic pictures for tests and benchmarks: equal arguments give equal pixels.
namespace transcoder::test {

enum class Content {
  kStatic,  ///< a still textured picture: needs nearly no bits after the first frame
  kMoving,  ///< a moving texture with camera noise: uses any rate
  kNoise,   ///< nothing can be predicted: the encoder's worst case
  kCuts,    ///< a moving texture that changes every 30 pictures
};
inline constexpr Content kContents[] = {Content::kStatic, Content::kMoving, Content::kNoise,
                                        Content::kCuts};
std::string_view name(Content content);

class Pictures {
 public:
  Pictures(Content content, int width, int height);

  /// The next picture, with timestamp `pts` and a number that counts from 0.
  media::FramePtr next(media::Pts pts);

 private:
  void paint(std::vector<std::uint8_t>& luma) const;

  const Content content_;
  const int width_;
  const int height_;
  std::uint64_t number_ = 0;
  std::vector<std::int8_t> noise_;  ///< kNoiseOffsets values longer than a picture
};

}  // namespace transcoder::test
