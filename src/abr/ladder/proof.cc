#include "abr/ladder/proof.h"

#include <algorithm>
#include <utility>

namespace abr {

Standing StreamProof::update(const Taken& taken, base::BitRate lowest, base::Time now) {
  const auto silence_ends =
      std::max(progress_ + kSilence, taken.window_closed ? paid_until_ : base::Time{});
  const bool paused = now >= silence_ends;
  if (taken.acknowledged > acknowledged_) {
    if (paused) began_ = now;
    shown_ = shown_ || now - began_ >= kFirstProof;
    const auto bytes = taken.acknowledged - std::exchange(acknowledged_, taken.acknowledged);
    const base::ByteCount piece{static_cast<std::int64_t>(bytes)};
    paid_until_ = std::min(std::max(paid_until_, now) + piece / lowest, now + kLongestReaderPause);
    progress_ = now;
    return shown_ ? Standing::kProven : Standing::kUnproven;
  }
  if (!taken.waiting) progress_ = now;
  return shown_ && !paused ? Standing::kProven : Standing::kUnproven;
}

void LoadProof::ask(base::Time now) {
  asked_ = began_ = now;
  loaded_ = before_ = {};
}

bool LoadProof::is_given(base::Time now) {
  if (now - began_ >= 2 * period_) before_ = loaded_ = {};
  if (now - began_ >= period_) {
    before_ = std::exchange(loaded_, {});
    began_ = now;
  }
  const auto passed = now - std::max(asked_, began_ - period_);
  const auto loaded = before_ + loaded_;
  return loaded > base::Duration::zero() && loaded >= kShare * passed;
}

}  // namespace abr
