#include "server/reading_pace.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace server {

namespace {

// A longer time between two looks is the server's own pause, in which it sent nothing.
constexpr base::Duration kMaxStep = std::chrono::seconds{1};

}  // namespace

const char* name(TooSlow reason) {
  switch (reason) {
    case TooSlow::kStalled:
      return "stalled";
    case TooSlow::kRate:
      return "rate";
    case TooSlow::kExpired:
      return "expired";
  }
  return "";
}

void ReadingPace::begin(base::ByteCount acknowledged, base::Time now) {
  begun_ = acknowledged_ = acknowledged;
  looked_ = now;
  elapsed_ = silent_ = {};
}

std::optional<TooSlow> ReadingPace::judge(base::ByteCount acknowledged, base::Time now) {
  const auto step = std::min(now - std::exchange(looked_, now), kMaxStep);
  elapsed_ += step;
  silent_ =
      acknowledged > std::exchange(acknowledged_, acknowledged) ? base::Duration{} : silent_ + step;
  if (silent_ >= stall_timeout_) return TooSlow::kStalled;
  if (acknowledged - begun_ < min_rate_ * (elapsed_ - stall_timeout_)) return TooSlow::kRate;
  return std::nullopt;
}

}  // namespace server
