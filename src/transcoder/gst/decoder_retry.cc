#include "transcoder/gst/decoder_retry.h"

#include <algorithm>
#include <utility>

namespace transcoder {

base::Time DecoderRetry::failed(base::Time now) {
  const auto since = std::exchange(works_since_, std::nullopt);
  if (since && now - *since > wait_) wait_ = {};
  const auto next = std::clamp(2 * wait_, kShortestWait, kLongestWait);
  return now + std::exchange(wait_, next);
}

void DecoderRetry::decoded(base::Time now) {
  if (!works_since_) works_since_ = now;
}

}  // namespace transcoder
