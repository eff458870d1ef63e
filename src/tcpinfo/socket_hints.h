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
  std::vector<std::string> names;  ///< those of kOwnCongestionControls that are loaded
  std::string suffix;              ///< of each name in the kernel, "" or ".2" to ".9"
  int hints = -1;                  ///< descriptor for HintMap; -1 if there is none
};

/// Wanted settings of a connection. Empty and zero fields leave a setting as it is.
struct Hints {
  std::string congestion_control;         ///< the kernel's or ours
  std::optional<std::uint32_t> ssthresh;  ///< segments
  std::optional<std::uint32_t> cwnd;      ///< segments
  /// Rate of the video that is sent. Sets ssthresh by video_rate_ssthresh() if `ssthresh` is empty
  /// and the congestion control uses it. For the start of a connection.
  base::BitRate video_rate;
  /// Multiplies video_rate for that ssthresh. A larger factor drains the data queued while the
  /// window grew sooner, but overshoots (bench/hints).
  double ssthresh_factor = 1;
  /// The longest video time that is written at once, as one frame. The ssthresh for video_rate is
  /// no smaller than for a round trip of this length: otherwise, on a shorter one, slow start would
  /// end at a window that is less than a frame, and each frame would wait for its own
  /// acknowledgements.
  base::Duration burst{};
  /// Measured capacity of the path, for Libra and CCP. Zero means no longer known.
  std::optional<base::BitRate> capacity;
};

/// The settings after apply(), read back from the kernel.
struct AppliedHints {
  std::string congestion_control;
  std::optional<std::uint32_t> ssthresh;  ///< segments; nullopt if infinite
  std::uint32_t cwnd = 0;                 ///< segments
  /// ssthresh cannot be set on this host; instead the pace is limited to kStartPaceFactor times the
  /// video's rate, until the caller lifts the limit.
  bool paced_instead = false;
  std::string error;  ///< one line; empty if everything was applied
};

/// Sets a connection's congestion control, ssthresh and window, at its start and later; nothing
/// else in the server does. Needs no privileges. Thread-safe for different sockets; about 4 µs per
/// call.
///
/// To set ssthresh and cwnd, a connection passes through sym_poke on its way to the wanted (or its
/// present) congestion control, which then restarts. bbr makes ssthresh infinite, so a connection
/// that leaves bbr for a congestion control that uses ssthresh gets a finite one, provided that it
/// has sent data and sym_poke is loaded. Without another hint that ssthresh is for the rate that
/// the path delivered.
class SocketHints {
 public:
  /// Without `own`, only the kernel's congestion controls are available, and a limited pace
  /// replaces ssthresh.
  explicit SocketHints(OwnControls own = {});

  AppliedHints apply(int fd, const Hints& hints) const;
  /// Lets the connection's congestion control begin again, as on a new connection with the present
  /// window.
  AppliedHints restart(int fd) const;

  /// Sets the connection's minimum RTO for good: by tcpinfo::set_rto_min(), before Linux 6.15 by
  /// poke_rto_min(). Returns false and sets errno on failure.
  bool set_rto_min(int fd, base::Duration minimum) const;
  /// Sets the minimum RTO through sym_poke (TCP_BPF_RTO_MIN of linux/bpf.h).
  bool poke_rto_min(int fd, base::Duration minimum) const;

  /// Whether ssthresh and cwnd can be set on this host.
  bool sets_windows() const { return static_cast<bool>(map_); }
  /// The valid values of `Hints::congestion_control`.
  std::vector<std::string> available() const;
  /// The name of `name` in the kernel, for setsockopt(TCP_CONGESTION).
  std::string kernel_name(const std::string& name) const;

 private:
  /// A change of congestion control. `from` and `to` are kernel names and may be equal; `wanted` is
  /// the user's name of `to`.
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
