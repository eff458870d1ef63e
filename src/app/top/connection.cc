#include "app/top/connection.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace app {

namespace {

using tcpinfo::DiagSocket;
using tcpinfo::TcpInfo;

/// Growth of a kernel counter. It may seem to shrink: the kernel does not fill tcp_info atomically.
template <typename T>
T gain(const TcpInfo& before, const TcpInfo& now, T TcpInfo::*counter) {
  return now.*counter > before.*counter ? static_cast<T>(now.*counter - before.*counter) : T{0};
}

Connection connection(const DiagSocket& before, const DiagSocket& now, base::Time at,
                      base::Duration interval) {
  const TcpInfo& old = before.tcp_info.info;
  const TcpInfo& info = now.tcp_info.info;
  const auto share = [&](std::uint64_t TcpInfo::*time) {
    const std::chrono::microseconds spent{gain(old, info, time)};
    return std::min(1.0, base::seconds(spent) / base::seconds(interval));
  };
  Connection out;
  out.peer = server::Endpoint::of(now.peer);
  out.congestion_control = now.congestion_control;
  out.now = tcpinfo::to_sample(now.tcp_info, at);
  out.bbr_bandwidth = now.bbr_bandwidth;
  out.in_flight = info.unacked;
  out.age = std::chrono::milliseconds{info.last_data_recv};
  const auto acked = static_cast<std::int64_t>(gain(old, info, &TcpInfo::bytes_acked));
  out.rate = base::BitRate::of(base::ByteCount{acked}, interval);
  out.segments_sent = gain(old, info, &TcpInfo::data_segs_out);
  out.retransmits = gain(old, info, &TcpInfo::total_retrans);
  // A 16-bit counter in the kernel: the difference survives its wrap.
  if (now.tcp_info.has_total_rto()) {
    out.timeouts = static_cast<std::uint16_t>(info.total_rto - old.total_rto);
  }
  out.busy = share(&TcpInfo::busy_time);
  out.rwnd_limited = share(&TcpInfo::rwnd_limited);
  out.sndbuf_limited = share(&TcpInfo::sndbuf_limited);
  return out;
}

auto trouble(const Connection& c) {
  return std::tuple{c.now.ca_state, c.timeouts.value_or(0), c.retransmits,
                    c.now.rtt - c.now.min_rtt};
}

}  // namespace

std::vector<Connection> connections(const Snapshot& before, const Snapshot& now) {
  std::unordered_map<std::uint64_t, const DiagSocket*> known;
  for (const auto& socket : before.sockets) known[socket.cookie] = &socket;
  const DiagSocket none;
  std::vector<Connection> out;
  for (const auto& socket : now.sockets) {
    if (socket.state != tcpinfo::TcpState::kEstablished) continue;
    const auto old = known.find(socket.cookie);
    out.push_back(
        connection(old == known.end() ? none : *old->second, socket, now.at, now.at - before.at));
  }
  return out;
}

void sort(std::vector<Connection>& connections, SortKey key) {
  const auto by = [&](auto value) {
    std::ranges::stable_sort(connections, std::ranges::greater{}, value);
  };
  // Equal connections keep their order from one table to the next.
  std::ranges::sort(connections, {}, [](const Connection& c) {
    return std::tuple{c.peer.address, c.peer.port};
  });
  switch (key) {
    case SortKey::kTrouble:
      return by(trouble);
    case SortKey::kRate:
      return by(&Connection::rate);
    case SortKey::kRtt:
      return by([](const Connection& c) { return c.now.rtt; });
    case SortKey::kRetransmits:
      return by(&Connection::retransmits);
    case SortKey::kUnsent:
      return by([](const Connection& c) { return c.now.notsent; });
  }
}

}  // namespace app
