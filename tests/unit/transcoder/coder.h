#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "pictures.h"
#include "transcoder/encode/encoder.h"

namespace transcoder::test {

constexpr base::Duration kInterval = base::from_seconds(1 / 30.);

/// An encoder, opened for 30 frames/s, that is fed with synthetic pictures and records the sizes of
/// its frames.
class Coder {
 public:
  Coder(Content content, base::BitRate rate, const EncoderSettings& settings = {}, int width = 480,
        int height = 270);

  EncodedFrame encode(base::Duration interval, bool keyframe = false);
  void encode_many(base::Duration interval, int count);
  void retarget(base::BitRate rate) { encoder_->retarget(rate); }
  void set_effort(std::size_t effort) { encoder_->set_effort(effort); }
  bool recover(std::uint64_t number) { return encoder_->recover(number); }

  /// The source of the last frame.
  const media::Frame& source() const { return *picture_; }

  /// The longest queueing delay of the frames `first` to `last`, exclusive, on a link of `rate`.
  double excess_ms(std::size_t first, std::size_t last, base::BitRate rate) const;

  /// The fraction of `rate` that the frames from `first` on used.
  double share(std::size_t first, base::BitRate rate) const;

  std::vector<double> sizes;      // bytes
  std::vector<double> intervals;  // seconds

 private:
  Pictures pictures_;
  media::FramePtr picture_;
  std::unique_ptr<Encoder> encoder_;
};

}  // namespace transcoder::test
