#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/units.h"

namespace base {

/// Limits the lines of each kind in the log: kBurst at once, and kPerSecond for long. Without it, a
/// client that keeps reconnecting could fill the disk. Not thread-safe; no clock.
class LogLimit {
 public:
  // The viewers of a small event join at once. A larger burst costs more of the disk each time, a
  // smaller one hides who joined.
  static constexpr double kBurst = 1000;
  // 0.9 million lines a day, 150 MB. A higher rate fills the disk sooner.
  static constexpr double kPerSecond = 10;

  struct Verdict {
    bool write = true;
    std::uint64_t left_out = 0;  ///< lines of this kind left out since the last one written
  };

  Verdict admit(std::string_view kind, Time now) {
    auto found = kinds_.find(kind);
    if (found == kinds_.end()) found = kinds_.emplace(kind, Kind{.updated = now}).first;
    auto& known = found->second;
    known.tokens = std::min(kBurst, known.tokens + kPerSecond * seconds(now - known.updated));
    known.updated = now;
    if (known.tokens < 1) {
      ++known.left_out;
      return {.write = false};
    }
    --known.tokens;
    return {.write = true, .left_out = std::exchange(known.left_out, 0)};
  }

 private:
  struct Kind {
    double tokens = kBurst;
    Time updated{};
    std::uint64_t left_out = 0;
  };

  std::map<std::string, Kind, std::less<>> kinds_;
};

}  // namespace base
