#include "coder.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "transcoder/encode/open_encoder.h"

namespace transcoder::test {

namespace {

constexpr double kNominal = 30;

}  // namespace

Coder::Coder(Content content, base::BitRate rate, const EncoderSettings& settings, int width,
             int height)
    : pictures_{content, width, height},
      frame_{pictures_.next({})},
      encoder_{open_encoder(settings, frame_->format, kNominal, rate)} {}

EncodedFrame Coder::encode(base::Duration interval, bool keyframe) {
  if (!sizes.empty()) frame_ = pictures_.next(frame_->pts + interval);
  auto picture = encoder_->encode(*frame_, keyframe);
  if (!picture) throw std::runtime_error{picture.error()};
  sizes.push_back(static_cast<double>(picture->bytes.size()));
  intervals.push_back(base::seconds(interval));
  return *picture;
}

void Coder::encode_many(base::Duration interval, int count) {
  for (int i = 0; i < count; ++i) encode(interval);
}

double Coder::excess_ms(std::size_t first, std::size_t last, base::BitRate rate) const {
  const double bytes_per_second = static_cast<double>(rate.bps()) / 8;
  double backlog = 0;
  double worst = 0;
  for (std::size_t i = first; i < last; ++i) {
    backlog = std::max(0.0, backlog + sizes[i] - bytes_per_second * intervals[i]);
    worst = std::max(worst, backlog);
  }
  return worst / bytes_per_second * 1000;
}

double Coder::share(std::size_t first, base::BitRate rate) const {
  const auto n = static_cast<std::ptrdiff_t>(first);
  const double bytes = std::accumulate(sizes.begin() + n, sizes.end(), 0.0);
  const double time = std::accumulate(intervals.begin() + n, intervals.end(), 0.0);
  return bytes * 8 / time / static_cast<double>(rate.bps());
}

}  // namespace transcoder::test
