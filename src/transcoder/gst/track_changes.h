#pragma once

#include <cstdint>
#include <optional>

#include "base/units.h"

namespace transcoder {

/// Decides when the log has a line about a source that changes its tracks too often. No I/O, no
/// clock. Used on one thread at a time.
class TrackChanges {
 public:
  /// Adds `times` changes. Returns the changes since the last line if one is due.
  std::optional<std::uint64_t> note(std::uint64_t times, base::Time now);

 private:
  std::optional<base::Time> begin_;  ///< of the time in which they are counted
  std::uint64_t count_ = 0;          ///< since then
  std::optional<base::Time> last_;   ///< when a line was last due
  std::uint64_t since_last_ = 0;     ///< changes since then
};

}  // namespace transcoder
