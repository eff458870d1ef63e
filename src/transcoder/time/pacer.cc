#include "transcoder/time/pacer.h"

namespace transcoder {

namespace {

/// A picture that is later than this was delayed on its way, and the next ones will be on time. A
/// shorter delay means that the supply has run out.
constexpr base::Duration kMaxSupplyLag = std::chrono::milliseconds{50};

}  // namespace

bool Pacer::jumped(base::Duration ahead) const {
  return ahead < -kMaxDelay || (source_ == SourceKind::kNetwork && ahead > kMaxGap);
}

base::Time Pacer::picture(base::Duration source, base::Time now) {
  const auto time = now.time_since_epoch();
  if (!anchored_ || jumped(anchor_.place(source) - time)) {
    anchor_.set(source, time);
    anchored_ = true;
  } else if (const auto late = time - anchor_.place(source);
             source_ == SourceKind::kNetwork && late > base::Duration{0} && late < kMaxSupplyLag) {
    anchor_.set(source, time);  // no backlog is left: play no faster than pictures arrive
  } else if (source_ == SourceKind::kNetwork) {
    // An early picture means a backlog: a burst at the start, or a sender whose clock runs faster.
    // Following it by 500 ppm drains the backlog, so the delay does not grow.
    anchor_.follow(source, time);
  }
  return base::Time{anchor_.place(source)};
}

std::optional<base::Time> Pacer::audio(base::Duration source) const {
  if (!anchored_) return std::nullopt;
  return base::Time{anchor_.place(source)};
}

}  // namespace transcoder
