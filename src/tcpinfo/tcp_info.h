#pragma once

#include <cstddef>
#include <cstdint>

namespace tcpinfo {

/// Our mirror of the kernel's `struct tcp_info` (include/uapi/linux/tcp.h), which only ever grows:
/// 232 bytes on Linux 6.1, 280 on 6.18. libc's copy ends at tcpi_total_retrans. Fields are in the
/// kernel's units. Fields beyond the length that the kernel returned are zero and mean nothing; see
/// TcpInfoReading. The fields after tcpi_total_rto_time (AccECN counters) are not used here.
struct TcpInfo {
  std::uint8_t state;
  std::uint8_t ca_state;     ///< CaState
  std::uint8_t retransmits;  ///< timeouts since the last new ACK
  std::uint8_t probes;
  std::uint8_t backoff;
  std::uint8_t options;
  std::uint8_t wscale;  ///< snd_wscale:4, rcv_wscale:4
  std::uint8_t flags;   ///< delivery_rate_app_limited:1, fastopen_client_fail:2
  std::uint32_t rto;    ///< µs
  std::uint32_t ato;    ///< µs
  std::uint32_t snd_mss;
  std::uint32_t rcv_mss;
  std::uint32_t unacked;  ///< segments
  std::uint32_t sacked;
  std::uint32_t lost;
  std::uint32_t retrans;
  std::uint32_t fackets;
  std::uint32_t last_data_sent;  ///< ms ago
  std::uint32_t last_ack_sent;
  std::uint32_t last_data_recv;
  std::uint32_t last_ack_recv;
  std::uint32_t pmtu;
  std::uint32_t rcv_ssthresh;
  std::uint32_t rtt;     ///< µs, smoothed
  std::uint32_t rttvar;  ///< µs
  std::uint32_t snd_ssthresh;
  std::uint32_t snd_cwnd;
  std::uint32_t advmss;
  std::uint32_t reordering;
  std::uint32_t rcv_rtt;
  std::uint32_t rcv_space;
  std::uint32_t total_retrans;  ///< segments, whole connection
  std::uint64_t pacing_rate;    ///< bytes/s
  std::uint64_t max_pacing_rate;
  std::uint64_t bytes_acked;
  std::uint64_t bytes_received;
  std::uint32_t segs_out;
  std::uint32_t segs_in;
  std::uint32_t notsent_bytes;
  std::uint32_t min_rtt;  ///< µs
  std::uint32_t data_segs_in;
  std::uint32_t data_segs_out;
  std::uint64_t delivery_rate;   ///< bytes/s
  std::uint64_t busy_time;       ///< µs
  std::uint64_t rwnd_limited;    ///< µs
  std::uint64_t sndbuf_limited;  ///< µs
  std::uint32_t delivered;       ///< segments, retransmitted ones included
  std::uint32_t delivered_ce;
  std::uint64_t bytes_sent;
  std::uint64_t bytes_retrans;
  std::uint32_t dsack_dups;
  std::uint32_t reord_seen;
  std::uint32_t rcv_ooopack;
  std::uint32_t snd_wnd;  ///< last field of Linux 6.1
  std::uint32_t rcv_wnd;
  std::uint32_t rehash;
  std::uint16_t total_rto;  ///< timeouts, whole connection; Linux 6.7
  std::uint16_t total_rto_recoveries;
  std::uint32_t total_rto_time;  ///< ms
};

/// Size of struct tcp_info on Linux 6.1, the oldest kernel we support.
inline constexpr std::size_t kLinux61TcpInfoBytes = 232;
static_assert(offsetof(TcpInfo, total_retrans) == 100);
static_assert(offsetof(TcpInfo, bytes_acked) == 120);
static_assert(offsetof(TcpInfo, delivery_rate) == 160);
static_assert(offsetof(TcpInfo, bytes_sent) == 200);
static_assert(offsetof(TcpInfo, rcv_wnd) == kLinux61TcpInfoBytes);
static_assert(offsetof(TcpInfo, total_rto) == 240);
static_assert(sizeof(TcpInfo) == 248);

/// TCP_INFINITE_SSTHRESH, include/net/tcp.h: no threshold has been set.
inline constexpr std::uint32_t kInfiniteSsthresh = 0x7fffffff;

/// A TcpInfo and the number of bytes of it that the running kernel filled.
struct TcpInfoReading {
  TcpInfo info{};
  std::size_t length = 0;  ///< bytes

  bool has_total_rto() const {
    return length >= offsetof(TcpInfo, total_rto) + sizeof(TcpInfo::total_rto);
  }
};

}  // namespace tcpinfo
