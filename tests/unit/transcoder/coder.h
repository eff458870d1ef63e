#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "pictures.h"
#include "transcoder/encode/encoder.h"

namespace transcoder::test {

constexpr base::Duration kInterval = base::from_seconds(1 / 30.);

/// An encoder fed by synthetic pictures, announced as 30 per second, with a record of what came
/// out.
class Coder {
 public:
  Coder(Content content, base::BitRate rate, const EncoderSettings& settings = {}, int width = 480,
        int height = 270);

  EncodedFrame encode(base::Duration interval, bool keyframe = false);
  void encode_many(base::Duration interval, int count);
  void retarget(base::BitRate rate) { encoder_->retarget(rate); }
  bool recover(std::uint64_t number) { return encoder_->recover(number); }

  /// What the last picture was made of.
  const media::Frame& source() const { return *frame_; }

  /// The longest that the pictures from `first` on would wait in a link of `rate`.
  double excess_ms(std::size_t first, std::size_t last, base::BitRate rate) const;

  /// Part of `rate` that the pictures from `first` on used.
  double share(std::size_t first, base::BitRate rate) const;

  std::vector<double> sizes;      // bytes
  std::vector<double> intervals;  // seconds

 private:
  Pictures pictures_;
  media::FramePtr frame_;
  std::unique_ptr<Encoder> encoder_;
};

}  // namespace transcoder::test
