#pragma once

#include <optional>
#include <string>

#include "transcoder/process/process_use.h"

namespace transcoder {

/// Whether a process uses more than it may. No I/O and no clock.
class UseLimits {
 public:
  struct Limits {
    base::ByteCount memory;  ///< SourceSettings::memory
    base::ByteCount shared;  ///< memory that it shares with us, and may use as well
    double cpus = 1;
    int threads = 128;  ///< a decoder has up to 16, and some tracks may have one each
  };

  /// CPU time is averaged over this window: decoders begin with data that a network has stored.
  static constexpr base::Duration kCpuWindow = std::chrono::seconds{10};

  explicit UseLimits(const Limits& limits) : limits_{limits} {}

  /// In all, without what the kernel stores for it.
  base::ByteCount most_memory() const { return limits_.memory + limits_.shared; }
  int most_threads() const { return limits_.threads; }
  /// A sentence for a process that uses more.
  std::string too_much_memory() const;

  /// Call several times per second. Returns a sentence if a limit is exceeded.
  std::optional<std::string> excess(const ProcessUse& use, base::Time now);

 private:
  const Limits limits_;
  std::optional<base::Time> begin_;  ///< of the window
  base::Duration cpu_{};             ///< at its begin
};

}  // namespace transcoder
