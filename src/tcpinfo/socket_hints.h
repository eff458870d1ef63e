#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "tcpinfo/hint_map.h"

namespace tcpinfo {

/// Our congestion controls as this kernel has them (ebpf/congestion_controls).
struct OwnControls {
  std::vector<std::string> names;  ///< of kOwnCongestionControls; empty: none
  std::string suffix;              ///< of each name in the kernel: ".2" beside another server's
  int hints = -1;                  ///< the map of HintMap
};

/// How a connection is to be steered. What is empty or zero stays as it is.
struct Hints {
  std::string congestion_control;         ///< the kernel's or ours
  std::optional<std::uint32_t> ssthresh;  ///< segments
  std::optional<std::uint32_t> cwnd;      ///< segments
  /// Of the video that is sent: gives ssthresh, by video_rate_ssthresh(), where `ssthresh` is not
  /// given and the congestion control heeds it. For the start of a connection.
  base::BitRate video_rate;
  /// That ssthresh is of so many times video_rate: more catches up sooner with what waited while
  /// the window grew, and overshoots (bench/hints).
  double ssthresh_factor = 1;
  /// Of the path, as measured, for Libra and CCP; zero: it is not known any more.
  std::optional<base::BitRate> capacity;
};

/// What came of it, as the kernel says afterwards.
struct AppliedHints {
  std::string congestion_control;
  std::optional<std::uint32_t> ssthresh;  ///< segments; empty: infinite
  std::uint32_t cwnd = 0;                 ///< segments
  /// ssthresh cannot be set here: the pace is limited to twice the video's rate in its place, until
  /// the caller lifts it.
  bool paced_instead = false;
  std::string error;  ///< what was refused: one line; empty: nothing
};

/// Steers connections: the one place where a connection's congestion control, ssthresh and window
/// are set, at its start and later. Needs no privileges. Thread-safe for different sockets; about
/// 4 µs a call.
///
/// ssthresh and cwnd are put by sym_poke, through which a connection passes on its way to the
/// congestion control that it shall have, or has; that one begins anew. A connection that leaves
/// bbr, which makes ssthresh infinite, for a congestion control that heeds it gets a finite one
/// when it has sent anything, where sym_poke is: if nothing else is given, that of the rate the
/// path delivered.
class SocketHints {
 public:
  /// Without `own`: what the kernel offers by itself, and a limited pace in place of ssthresh.
  explicit SocketHints(OwnControls own = {});

  AppliedHints apply(int fd, const Hints& hints) const;

  /// The retransmission timer of the connection runs for so long beyond the round trip at least,
  /// for good (tcpinfo::set_rto_min()); before Linux 6.15 by poke_rto_min(). False, with errno.
  bool set_rto_min(int fd, base::Duration least) const;
  /// The same through sym_poke (TCP_BPF_RTO_MIN of linux/bpf.h).
  bool poke_rto_min(int fd, base::Duration least) const;

  /// Whether ssthresh and cwnd can be set here.
  bool sets_windows() const { return static_cast<bool>(map_); }
  /// What `Hints::congestion_control` may be.
  std::vector<std::string> available() const;
  /// What setsockopt(TCP_CONGESTION) wants.
  std::string kernel_name(const std::string& name) const;

 private:
  /// Of congestion control, in the kernel's names; they may be the same. `wanted`: in ours.
  struct Change {
    std::string from, to, wanted;
  };

  std::string select(int fd, const Change& change, const Hints& hints) const;
  std::string poke(int fd, const Change& change, const Hints& chosen) const;
  std::string why_not(const std::string& name) const;

  OwnControls own_;
  HintMap map_;
};

}  // namespace tcpinfo
