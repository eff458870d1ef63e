#pragma once

#include <deque>
#include <optional>

#include "base/units.h"

namespace abr {

/// When each byte of a stream was handed on, to find out for how long the oldest one waits.
class SendLog {
 public:
  /// By `now`, `total` bytes have been handed on since the connection began.
  void note(base::ByteCount total, base::Time now) {
    if (entries_.empty() || total > entries_.back().total) entries_.push_back({total, now});
  }
  /// When the first byte after the first `total` was handed on. nullopt: it has not been. `total`
  /// must not fall from call to call.
  std::optional<base::Time> since(base::ByteCount total) {
    while (!entries_.empty() && entries_.front().total <= total) entries_.pop_front();
    if (entries_.empty()) return {};
    return entries_.front().at;
  }

 private:
  struct Entry {
    base::ByteCount total;
    base::Time at{};
  };
  std::deque<Entry> entries_;
};

}  // namespace abr
