#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/units.h"
#include "server/handler.h"
#include "tcpinfo/netlink/destroyed_sockets.h"
#include "tcpinfo/tcp_info.h"

namespace app {

/// The last word on each viewer's connection: its TCP_INFO when the kernel destroys the socket,
/// which is after the last byte was acknowledged, not when the viewer left. Every viewer is
/// reported once: where the kernel does not tell, with what was read when it left. Thread-safe.
class FinalStatistics {
 public:
  /// TCP tries for up to 100 s to bring an unread end to a peer that is gone
  /// (net.ipv4.tcp_orphan_retries); most have ended in a few round trips.
  static constexpr base::Duration kPatience = std::chrono::seconds{60};
  /// 400 bytes each. One more: the viewer who has waited longest is reported as it left.
  static constexpr std::size_t kMostPending = 4096;

  struct Report {
    server::ViewerId viewer = 0;
    std::string stream;
    tcpinfo::TcpInfoReading reading;
    bool told = false;  ///< by the kernel, of the end; else read when the viewer left
  };
  using Callback = std::function<void(const Report&)>;

  /// Of all viewers reported so far.
  struct Totals {
    std::uint64_t segments_sent = 0;
    std::uint64_t segments_retransmitted = 0;
    std::optional<std::uint64_t> timeouts;  ///< empty: the kernel does not count (before 6.7)
    base::Duration busy{};                  ///< something was in flight
    base::Duration rwnd_limited{};          ///< of that: waiting for the viewer to read
  };

  struct State {
    Totals totals;
    std::size_t pending = 0;
    std::uint64_t told = 0;    ///< reports that were
    std::uint64_t untold = 0;  ///< reports that were not: late, too many, or lost
    std::uint64_t lost = 0;    ///< messages for which the kernel had no room, other sockets' too
  };

  /// `kernel` empty: everyone is reported as they left, at once. `callback` comes on the thread of
  /// the call that ends the waiting.
  FinalStatistics(std::optional<tcpinfo::DestroyedSockets> kernel, Callback callback)
      : kernel_{std::move(kernel)}, callback_{std::move(callback)} {}

  /// Before the socket with this SO_COOKIE is closed; `last`: read now.
  void left(std::uint64_t cookie, server::ViewerId viewer, std::string stream,
            const tcpinfo::TcpInfoReading& last, base::Time now);
  /// A socket of anyone's was destroyed.
  void destroyed(const tcpinfo::DiagSocket& socket);
  /// Now and then. With base::Time::max() nobody is waited for any longer.
  void expire(base::Time now);

  /// What calls destroyed(), for one event loop; null without a kernel that tells.
  std::unique_ptr<server::LoopSource> loop_source();
  State state() const;

 private:
  class Source;
  struct Pending {
    std::uint64_t cookie;
    base::Time deadline;
    Report report;
  };
  using Queue = std::list<Pending>;  ///< in the order of their deadlines

  Report take(Queue::iterator pending);
  void tell(const Report& report);
  void report_untold(const std::function<bool(const Pending&)>& condition);

  std::optional<tcpinfo::DestroyedSockets> kernel_;
  const Callback callback_;
  mutable std::mutex mutex_;
  Queue queue_;                                                   // GUARDED_BY(mutex_)
  std::unordered_map<std::uint64_t, Queue::iterator> by_cookie_;  // GUARDED_BY(mutex_)
  Totals totals_;                                                 // GUARDED_BY(mutex_)
  std::uint64_t told_ = 0;                                        // GUARDED_BY(mutex_)
  std::uint64_t untold_ = 0;                                      // GUARDED_BY(mutex_)
};

}  // namespace app
