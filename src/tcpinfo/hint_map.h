#pragma once

struct symcast_hint;  // bpf/hint.h

namespace tcpinfo {

/// The kernel's map from sockets to what our congestion controls are told of them. Does not own it.
/// Needs no privileges; each call is one system call of 1 µs. Thread-safe for different sockets.
class HintMap {
 public:
  /// `map`: a descriptor of bpf/tcp_ops.h's `hints`; -1: there is none, and every call fails.
  explicit HintMap(int map) : map_{map} {}

  explicit operator bool() const { return map_ >= 0; }
  /// A socket's hint; all zero when it has none.
  symcast_hint get(int socket) const;
  /// Returns false, with errno, when the kernel refuses.
  bool put(int socket, const symcast_hint& hint) const;

 private:
  int map_;
};

}  // namespace tcpinfo
