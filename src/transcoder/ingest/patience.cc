#include "transcoder/ingest/patience.h"

#include <algorithm>

namespace transcoder {

namespace {

/// Decoding begins at a keyframe, and encoders put those up to 10 s apart.
constexpr base::Duration kFirstPictureTimeout = std::chrono::seconds{10};

/// The same while data arrive: smart encoders of cameras put their keyframes up to 60 s apart, and
/// a new connection would wait again.
constexpr base::Duration kKeyframeTimeout = std::chrono::seconds{65};

/// Servers that start a camera on request send its data some seconds later. Earlier, their starts
/// would get a warning.
constexpr base::Duration kUsualStart = std::chrono::seconds{5};

}  // namespace

std::optional<base::Duration> Patience::exhausted(const Life& life, base::Time now) const {
  if (life.played) {
    return now - life.picture > timeout_ ? std::optional{timeout_} : std::nullopt;
  }
  if (waits_for_sender_) return std::nullopt;
  const auto without_data = std::max(timeout_, kFirstPictureTimeout);
  if (now - std::max(life.picture, life.data) > without_data) return without_data;
  const auto with_data = std::max(timeout_, kKeyframeTimeout);
  return now - life.picture > with_data ? std::optional{with_data} : std::nullopt;
}

bool Patience::lacks_data(const Life& life, base::Time now) const {
  if (waits_for_sender_ || life.played || life.data != base::Time{}) return false;
  return now - life.picture > kUsualStart;
}

}  // namespace transcoder
