#pragma once

#include <cstdint>
#include <optional>

#include "base/units.h"
#include "tcpinfo/tcp_info.h"

namespace tcpinfo {

/// The kernel's congestion state machine (enum tcp_ca_state, include/uapi/linux/tcp.h).
enum class CaState : std::uint8_t { kOpen, kDisorder, kCwr, kRecovery, kLoss };

/// One TCP_INFO reading of one connection, in our units.
struct TcpSample {
  base::Time at{};
  CaState ca_state = CaState::kOpen;
  base::Duration rtt{};                         ///< smoothed; zero before the first measurement
  base::Duration min_rtt{};                     ///< over the kernel's window; zero before the first
  std::uint32_t mss = 0;                        ///< bytes
  std::uint32_t cwnd = 0;                       ///< segments
  std::optional<std::uint32_t> ssthresh;        ///< segments; nullopt if infinite
  std::uint32_t unacked = 0;                    ///< segments sent and not acknowledged in order
  std::uint32_t sacked = 0;                     ///< segments of `unacked`
  std::uint32_t lost = 0;                       ///< segments of `unacked`
  std::uint32_t retransmitted = 0;              ///< segments of `lost`, retransmitted and in flight
  std::uint32_t timeouts_in_row = 0;            ///< since the last new ACK
  std::optional<std::uint32_t> total_timeouts;  ///< whole connection; Linux 6.7 and later
  std::uint32_t segments_sent = 0;              ///< with data, whole connection
  std::uint32_t total_retransmits = 0;          ///< segments, whole connection
  std::uint32_t duplicates = 0;       ///< retransmits that were not needed (DSACK, RFC 2883)
  std::uint64_t bytes_acked = 0;      ///< whole connection
  base::Duration since_ack{};         ///< since the last ACK came, to a tick of the kernel
  base::ByteCount notsent;            ///< in the socket buffer, never transmitted
  base::BitRate pacing;               ///< whether it is enforced depends on the congestion control
  base::BitRate delivery_rate;        ///< the kernel's estimate; only rises while app_limited
  bool app_limited = false;           ///< delivery_rate was limited by lack of data to send
  base::Duration busy{};              ///< whole connection: time with data in flight or queued
  base::Duration receiver_limited{};  ///< whole connection: time limited by the receiver's window
};

/// Converts the kernel's units. `at`: when the reading was taken. A pure function.
TcpSample to_sample(const TcpInfoReading& reading, base::Time at);

}  // namespace tcpinfo
