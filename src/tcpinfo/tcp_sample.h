#pragma once

#include <cstdint>
#include <optional>

#include "base/units.h"
#include "tcpinfo/tcp_info.h"

namespace tcpinfo {

/// The kernel's congestion state machine (enum tcp_ca_state, include/uapi/linux/tcp.h).
enum class CaState : std::uint8_t { kOpen, kDisorder, kCwr, kRecovery, kLoss };

/// What the kernel said of one connection at one time, in our units.
struct TcpSample {
  base::Time at{};
  CaState ca_state = CaState::kOpen;
  base::Duration rtt{};                   ///< smoothed; zero before the first measurement
  base::Duration min_rtt{};               ///< least of the kernel's window; zero before the first
  std::uint32_t mss = 0;                  ///< bytes
  std::uint32_t cwnd = 0;                 ///< segments
  std::optional<std::uint32_t> ssthresh;  ///< segments; empty: infinite
  std::uint32_t unacked = 0;              ///< segments sent and not acknowledged in order
  std::uint32_t sacked = 0;               ///< of them
  std::uint32_t lost = 0;                 ///< likewise
  std::uint32_t retransmitted = 0;        ///< of the lost, sent again and on the way
  std::uint32_t timeouts_in_row = 0;      ///< since the last progress
  std::optional<std::uint32_t> total_timeouts;  ///< whole connection; Linux 6.7 and later
  std::uint32_t total_retransmits = 0;          ///< segments, whole connection
  std::uint32_t duplicates = 0;       ///< of those, what the receiver had already (DSACK, RFC 2883)
  std::uint64_t bytes_acked = 0;      ///< whole connection
  base::ByteCount notsent;            ///< in the socket buffer, not yet transmitted once
  base::BitRate pacing;               ///< whether it is enforced depends on the congestion control
  base::BitRate delivery_rate;        ///< the kernel's estimate; a ratchet while app_limited
  bool app_limited = false;           ///< delivery_rate was limited by what we had to send
  base::Duration busy{};              ///< time that something was under way, ever
  base::Duration receiver_limited{};  ///< time that the receiver's window held data back, ever
};

/// Pure.
TcpSample to_sample(const TcpInfoReading& reading, base::Time at);

}  // namespace tcpinfo
