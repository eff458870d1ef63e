#pragma once

struct symcast_hint;  // bpf/hint.h

namespace tcpinfo {

/// The kernel's map from sockets to the hints for our congestion controls. Does not own the map.
/// Needs no privileges; each call is one system call of 1 µs. Thread-safe for different sockets.
class HintMap {
 public:
  /// `map`: descriptor of the map `hints` of bpf/tcp_ops.h. -1 means no map: every call fails.
  explicit HintMap(int map) : map_{map} {}

  explicit operator bool() const { return map_ >= 0; }
  /// A socket's hint; all zero if it has none.
  symcast_hint get(int socket) const;
  /// Returns false and sets errno if the kernel refuses.
  bool put(int socket, const symcast_hint& hint) const;

 private:
  int map_;
};

}  // namespace tcpinfo
