#include "transcoder/time/pacer.h"

namespace transcoder {

namespace {

/// Later than this a picture was held up on its way; the next ones will be in time again.
constexpr base::Duration kShortLate = std::chrono::milliseconds{50};

}  // namespace

bool Pacer::jumped(base::Duration ahead) const {
  return ahead < -kMaxLate || (source_ == Source::kNetwork && ahead > kMaxHold);
}

base::Time Pacer::picture(base::Duration source, base::Time now) {
  const auto time = now.time_since_epoch();
  if (!anchored_ || jumped(anchor_.place(source) - time)) {
    anchor_.set(source, time);
    anchored_ = true;
  } else if (const auto late = time - anchor_.place(source);
             source_ == Source::kNetwork && late > base::Duration{0} && late < kShortLate) {
    anchor_.set(source, time);  // what waited has run out: no faster than it comes
  } else if (source_ == Source::kNetwork) {
    // Read early means that data waits for us: a burst at the start, or a sender whose clock runs
    // faster. Following it by 500 ppm drains what waits, and keeps the delay from growing.
    anchor_.follow(source, time);
  }
  return base::Time{anchor_.place(source)};
}

std::optional<base::Time> Pacer::audio(base::Duration source) const {
  if (!anchored_) return std::nullopt;
  return base::Time{anchor_.place(source)};
}

}  // namespace transcoder
