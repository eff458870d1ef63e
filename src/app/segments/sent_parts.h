#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "base/units.h"

namespace app {

/// The parts that one connection of a segment player has sent, until they are acknowledged: whether
/// they are late, and since when the player has waited for them. No I/O, no clock.
class SentParts {
 public:
  struct Part {
    std::size_t size = 0;  ///< bytes
    base::Time captured{};
    base::Duration duration{};  ///< of its media
    bool video = true;
    /// Sent soon after it was made, to be shown soon.
    bool latency_critical = false;
  };
  struct Acknowledged {
    base::Time captured{};
    base::Duration duration{};
    bool video = true;
    /// Since when the player has waited for the part; nullopt if it has not.
    std::optional<base::Time> awaited;
  };

  /// The player has asked for more: it has received all earlier responses.
  void on_request(base::Time now);
  /// `part` is about to be sent. `sent`: bytes sent on the connection before it.
  void add(const Part& part, std::uint64_t sent);
  /// Calls fn(Acknowledged) for each part that ends within the first `acked` bytes.
  template <typename Fn>
  void take(std::uint64_t acked, Fn fn) {
    for (; !parts_.empty() && parts_.front().end <= acked; parts_.pop_front()) {
      fn(parts_.front().acknowledged);
    }
  }
  void clear() { parts_.clear(); }

  bool empty() const { return parts_.empty(); }
  bool has_video() const;
  /// How long the oldest part that is to be shown soon has been captured; zero without one.
  base::Duration late(base::Time now) const;

 private:
  struct SentPart {
    std::uint64_t end = 0;  ///< offset of its end, in bytes sent on the connection
    bool latency_critical = false;
    Acknowledged acknowledged;
  };
  // A part is sent once the kernel has taken the one before it, and the kernel buffers a few MiB.
  // Beyond this number of parts, lateness counts from a newer part than the oldest.
  static constexpr std::size_t kMaxUnackedParts = 256;

  std::optional<base::Time> awaited(base::Time captured);

  std::deque<SentPart> parts_;  ///< oldest first
  base::Time requested_{};
  bool begins_response_ = true;  ///< the next part is the first of its response
};

}  // namespace app
