#pragma once

#include <cstddef>
#include <optional>

#include "base/units.h"

namespace server {

/// Why a client is too slow to be sent the rest of its response.
enum class TooSlow {
  kStalled,  ///< it read nothing for Settings::stall_timeout
  kRate,     ///< it read less than Settings::min_rate
  kExpired,  ///< ResponseHead::finish_within is over
};
inline constexpr std::size_t kTooSlowCount = 3;
const char* name(TooSlow reason);

/// Tells when a client reads too slowly: nothing for `stall_timeout`, or less than `min_rate` on
/// average after the first `stall_timeout`. Each response is judged by itself. A value; no clock.
///
/// Acknowledged bytes count, because the kernel takes more only when tens of KiB have left, which
/// takes slow links longer than `stall_timeout`; and only time in which there is something to read
/// counts, so neither requests that are late nor a response that waits for media are the client's
/// fault. With the default of 32 kbit/s three transfers can share a link of 100 kbit/s, and a
/// window of 1.5 kB can have a round trip of 300 ms. A player that pauses in the middle of a
/// segment has `stall_timeout`, like a viewer of an endless stream; the response to HEAD fits in
/// a packet.
class ReadingPace {
 public:
  ReadingPace(base::Duration stall_timeout, base::BitRate min_rate)
      : stall_timeout_{stall_timeout}, min_rate_{min_rate} {}

  /// From now on the client has something to read. `acknowledged`: in all, until now.
  void begin(base::ByteCount acknowledged, base::Time now);
  /// Call a few times per second while the client has something to read.
  std::optional<TooSlow> judge(base::ByteCount acknowledged, base::Time now);

 private:
  const base::Duration stall_timeout_;
  const base::BitRate min_rate_;
  base::ByteCount begun_;         ///< acknowledged when the response began
  base::ByteCount acknowledged_;  ///< at the last look
  base::Time looked_{};
  base::Duration elapsed_{};  ///< since the response began
  base::Duration silent_{};   ///< since `acknowledged_` grew
};

}  // namespace server
