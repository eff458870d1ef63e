#include "abr/ladder/proof.h"

#include <algorithm>
#include <utility>

namespace abr {

Standing StreamProof::update(std::uint64_t acknowledged, bool waiting, base::Time now) {
  const bool paused = now - progress_ >= kSilence;
  if (acknowledged > acknowledged_) {
    if (paused) began_ = now;
    shown_ = shown_ || now - began_ >= kFirstProof;
    acknowledged_ = acknowledged;
    progress_ = now;
    return shown_ ? Standing::kProven : Standing::kUnproven;
  }
  if (!waiting) progress_ = now;
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
