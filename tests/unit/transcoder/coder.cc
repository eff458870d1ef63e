#include "coder.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "transcoder/encode/open_encoder.h"

namespace transcoder::test {

namespace {

constexpr double kNominalFrameRate = 30;

}  // namespace

Coder::Coder(Content content, base::BitRate rate, const EncoderSettings& settings, int width,
             int height)
    : pictures_{content, width, height},
      picture_{pictures_.next({})},
      encoder_{open_encoder(settings, picture_->format, kNominalFrameRate, rate)} {}

EncodedFrame Coder::encode(base::Duration interval, bool keyframe) {
  if (!sizes.empty()) picture_ = pictures_.next(picture_->pts + interval);
  auto frame = encoder_->encode(*picture_, keyframe);
  if (!frame) throw std::runtime_error{frame.error()};
  sizes.push_back(static_cast<double>(frame->bytes.size()));
  intervals.push_back(base::seconds(interval));
  return *frame;
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
