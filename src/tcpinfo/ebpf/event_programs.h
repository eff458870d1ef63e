#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "base/result.h"
#include "tcpinfo/congestion_event.h"

namespace tcpinfo {

/// eBPF programs that report congestion events when the kernel sees them (bpf/*_events.bpf.c), each
/// into the ring buffer of one event loop. Only loading needs capabilities. The programs end with
/// the process, however it ends, and do not disturb those of other servers.
///
/// kTracepoint can miss an event, because Linux does not run a tracing program on a CPU that is
/// already running it. So nothing may depend on receiving every event.
class EventPrograms {
 public:
  /// Called with the session and the event.
  using Callback = std::function<void(std::uint64_t, const CongestionEvent&)>;

  /// Loads and attaches the programs. kTracepoint needs CAP_BPF and CAP_PERFMON; kSockops needs
  /// CAP_BPF and CAP_NET_ADMIN. kSockops does not cover connections established earlier, nor those
  /// whose listener was created in another control group, and fails if an ancestor of our group has
  /// a program that excludes others. `rings`: number of event loops, at most 64.
  static base::Result<std::unique_ptr<EventPrograms>> load(EventSource source, int rings);
  virtual ~EventPrograms() = default;

  /// Sends the events of the TCP socket `fd` to `ring`, tagged with `session`, until the socket is
  /// closed. Returns false and sets errno if the kernel refuses. Thread-safe; 1 µs.
  virtual bool watch(int fd, std::uint64_t session, int ring) = 0;
  /// Sends one event of kind kRtt as soon as the smoothed RTT of a watched socket is longer than
  /// `limit`. 0 means no limit, which is also what holds after the event. Returns false and sets
  /// errno if the kernel refuses. Thread-safe; 1 µs.
  virtual bool watch_rtt(int fd, std::chrono::microseconds limit) = 0;

  /// Readable when events wait; edge-triggered polling works if read() is called after each edge.
  virtual int fd(int ring) const = 0;
  /// Calls `callback` for each waiting event. One thread at a time per ring.
  virtual void read(int ring, const Callback& callback) = 0;
  /// Events lost because the ring was full, or of a kind that we do not know. Thread-safe.
  virtual std::uint64_t lost(int ring) const = 0;
};

}  // namespace tcpinfo
