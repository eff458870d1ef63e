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
#include <utility>

#include "base/units.h"
#include "server/handler.h"
#include "tcpinfo/netlink/destroyed_sockets.h"
#include "tcpinfo/tcp_info.h"

namespace app {

/// Collects the final TCP_INFO of each viewer's connection. The kernel sends it when it destroys
/// the socket: after the last byte was acknowledged, which may be long after the viewer left. Every
/// viewer is reported exactly once; if the kernel's message is late or lost, the report has the
/// TCP_INFO last seen. Thread-safe.
class FinalStatistics {
 public:
  /// How long the kernel's message is awaited. Most connections end within a few round trips; if
  /// the peer is gone, TCP retries for up to 100 s (net.ipv4.tcp_orphan_retries). A longer wait
  /// is mostly for such peers; a shorter one gives up on slow paths that still deliver.
  static constexpr base::Duration kMaxEndWait = std::chrono::seconds{60};
  /// Reports that await the kernel's message, 400 bytes each; beyond that, the oldest is reported
  /// as last seen. A larger bound costs memory; a smaller one loses final statistics when many
  /// viewers leave at once.
  static constexpr std::size_t kMaxPendingReports = 4096;

  struct Report {
    server::ViewerId viewer = 0;
    std::string stream;
    server::Address address;  ///< of the viewer
    tcpinfo::TcpInfoReading reading;
    bool is_final = false;  ///< from the kernel's message; else read when the viewer left
  };
  using Callback = std::function<void(const Report&)>;

  /// Sums over all viewers reported so far.
  struct Totals {
    std::optional<std::uint64_t> timeouts;  ///< nullopt: not counted before Linux 6.7
    base::Duration busy{};                  ///< time with data in flight
    base::Duration rwnd_limited{};          ///< part of `busy` spent waiting for viewers to read
  };

  struct State {
    Totals totals;
    std::size_t pending = 0;
    std::uint64_t final_reports = 0;
    std::uint64_t last_seen_reports = 0;  ///< message late or lost, or too many pending
    std::uint64_t lost = 0;  ///< messages for which the kernel had no room, of any socket
  };

  /// Without `kernel`, every viewer is reported as last seen, as soon as they leave. `callback` is
  /// called by viewer_left(), socket_destroyed() or expire(), on their thread.
  FinalStatistics(std::optional<tcpinfo::DestroyedSockets> kernel, Callback callback)
      : kernel_{std::move(kernel)}, callback_{std::move(callback)} {}

  /// Call before the socket with this SO_COOKIE is closed. `last`: its TCP_INFO, read now.
  void viewer_left(std::uint64_t cookie, server::ViewerId viewer, std::string stream,
                   const server::Address& address, const tcpinfo::TcpInfoReading& last,
                   base::Time now);
  /// Any socket was destroyed; sockets that belong to no viewer are ignored.
  void socket_destroyed(const tcpinfo::DiagSocket& socket);
  /// Call regularly. Reports the viewers whose wait is over; base::Time::max() ends all waits.
  void expire(base::Time now);

  /// Returns the source that makes one event loop call socket_destroyed(); null without `kernel`.
  std::unique_ptr<server::LoopSource> loop_source();
  State state() const;

 private:
  class Source;
  struct Pending {
    std::uint64_t cookie;
    base::Time deadline;
    Report report;
  };
  using Queue = std::list<Pending>;  ///< by deadline, earliest first

  Report take(Queue::iterator pending);
  void publish(const Report& report);
  void report_last_seen(const std::function<bool(const Pending&)>& condition);

  std::optional<tcpinfo::DestroyedSockets> kernel_;
  const Callback callback_;
  mutable std::mutex mutex_;
  Queue queue_;                                                   // GUARDED_BY(mutex_)
  std::unordered_map<std::uint64_t, Queue::iterator> by_cookie_;  // GUARDED_BY(mutex_)
  Totals totals_;                                                 // GUARDED_BY(mutex_)
  std::uint64_t final_reports_ = 0;                               // GUARDED_BY(mutex_)
  std::uint64_t last_seen_reports_ = 0;                           // GUARDED_BY(mutex_)
};

}  // namespace app
