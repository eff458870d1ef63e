#include "tcpinfo/tcp_sample.h"

#include <algorithm>
#include <limits>

namespace tcpinfo {

namespace {

// The kernel's min_rtt before the first measurement (tcp_minmax_init).
constexpr std::uint32_t kNoMinRtt = std::numeric_limits<std::uint32_t>::max();

base::BitRate from_bytes_per_second(std::uint64_t rate) {
  // The rate in bits must fit into 64 bits; ~0 is the kernel's "no limit".
  constexpr std::uint64_t kMaxByteRate = std::numeric_limits<std::int64_t>::max() / 8;
  return base::BitRate{static_cast<std::int64_t>(std::min(rate, kMaxByteRate)) * 8};
}

/// The kernel's counters have 64 bits; ours end after 292 years.
base::Duration from_microseconds(std::uint64_t time) {
  constexpr std::uint64_t kLongest = std::numeric_limits<base::Duration::rep>::max() / 1000;
  return std::chrono::microseconds{static_cast<std::int64_t>(std::min(time, kLongest))};
}

}  // namespace

TcpSample to_sample(const TcpInfoReading& reading, base::Time at) {
  const TcpInfo& info = reading.info;
  TcpSample s;
  s.at = at;
  s.ca_state = static_cast<CaState>(info.ca_state);
  s.rtt = std::chrono::microseconds{info.rtt};
  if (info.min_rtt != kNoMinRtt) s.min_rtt = std::chrono::microseconds{info.min_rtt};
  s.mss = info.snd_mss;
  s.cwnd = info.snd_cwnd;
  if (info.snd_ssthresh < kInfiniteSsthresh) s.ssthresh = info.snd_ssthresh;
  s.unacked = info.unacked;
  s.sacked = info.sacked;
  s.lost = info.lost;
  s.retransmitted = info.retrans;
  s.timeouts_in_row = info.retransmits;
  if (reading.has_total_rto()) s.total_timeouts = info.total_rto;
  s.segments_sent = info.data_segs_out;
  s.total_retransmits = info.total_retrans;
  s.duplicates = info.dsack_dups;
  s.bytes_acked = info.bytes_acked;
  s.since_ack = std::chrono::milliseconds{info.last_ack_recv};
  s.notsent = base::ByteCount{info.notsent_bytes};
  s.pacing = from_bytes_per_second(info.pacing_rate);
  s.delivery_rate = from_bytes_per_second(info.delivery_rate);
  s.app_limited = (info.flags & 1) != 0;
  s.busy = from_microseconds(info.busy_time);
  s.receiver_limited = from_microseconds(info.rwnd_limited);
  return s;
}

}  // namespace tcpinfo
