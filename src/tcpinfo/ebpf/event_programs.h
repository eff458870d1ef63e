#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "base/result.h"
#include "tcpinfo/congestion_event.h"

namespace tcpinfo {

/// eBPF programs that tell of congestion events as the kernel comes upon them (bpf/*_events.bpf.c),
/// each into the ring buffer of one event loop. Loading needs capabilities, the rest does not. They
/// end with the process, however it ends; those of several servers do not meet.
///
/// kTracepoint may miss one: Linux does not run a tracing program on a processor that is in it
/// already. So nothing may depend on being told of every event.
class EventPrograms {
 public:
  /// Called with the session and the event.
  using Callback = std::function<void(std::uint64_t, const CongestionEvent&)>;

  /// Loads and attaches. kTracepoint needs CAP_BPF and CAP_PERFMON; kSockops CAP_BPF and
  /// CAP_NET_ADMIN. kSockops does not hear of connections established before, nor of those whose
  /// listener was made in another control group; and cannot be had where an ancestor of ours has a
  /// program that excludes others. `rings`: at most 64.
  static base::Result<std::unique_ptr<EventPrograms>> load(EventSource source, int rings);
  virtual ~EventPrograms() = default;

  /// From now on the events of the TCP socket `fd` come to `ring`, with `session`; until it is
  /// closed. False, with errno, when the kernel refuses. Thread-safe; 1 µs.
  virtual bool watch(int fd, std::uint64_t session, int ring) = 0;

  /// Readable when events wait, also edge-triggered when read() has been called since.
  virtual int fd(int ring) const = 0;
  /// Takes what waits. One thread at a time for each ring.
  virtual void read(int ring, const Callback& callback) = 0;
  /// Events that found the ring full. Thread-safe.
  virtual std::uint64_t lost(int ring) const = 0;
};

}  // namespace tcpinfo
