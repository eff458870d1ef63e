#pragma once

#include <cstddef>
#include <deque>

#include "base/units.h"

namespace transcoder {

/// The offsets of a source's rounds, which are numbered from 0: its tracks are in the newest ones,
/// and the oldest are forgotten. No I/O, no clock.
class RoundOffsets {
 public:
  void push(base::Duration offset) {
    offsets_.push_back(offset);
    if (offsets_.size() <= kMaxRounds) return;
    offsets_.pop_front();
    ++first_;
  }

  bool empty() const { return offsets_.empty(); }
  /// The oldest round that is known.
  std::size_t first() const { return first_; }
  /// The number of the next round.
  std::size_t end() const { return first_ + offsets_.size(); }
  /// `round` is from first() to end() - 1.
  base::Duration operator[](std::size_t round) const { return offsets_[round - first_]; }

  /// Tracks are a few segments apart, and a round has at least one. More would let a source that
  /// begins a round with each picture cost memory and time.
  static constexpr std::size_t kMaxRounds = 64;

 private:
  std::deque<base::Duration> offsets_;
  std::size_t first_ = 0;
};

}  // namespace transcoder
