#include <linux/rtnetlink.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "fuzz/check.h"
#include "fuzz/target.h"
#include "tcpinfo/delivery.h"
#include "tcpinfo/event_record.h"
#include "tcpinfo/netlink/diag_socket.h"
#include "tcpinfo/netlink/route_bytes.h"
#include "tcpinfo/netlink/wire.h"
#include "tcpinfo/polled_events.h"
#include "tcpinfo/tcp_sample.h"

// The kernel's messages, as another kernel might send them. The first byte is the Kind.

namespace {

namespace wire = tcpinfo::wire;
using wire::Bytes;

enum class Kind : std::uint8_t { kSocket, kRoute, kAcknowledgement, kEvent, kTcpInfo };

Bytes bytes_of(std::string_view text) { return std::as_bytes(std::span{text}); }

void check_sample(const tcpinfo::TcpSample& sample) {
  for (const auto time :
       {sample.rtt, sample.min_rtt, sample.since_ack, sample.busy, sample.receiver_limited}) {
    CHECK(time >= base::Duration{}, time.count());
  }
  CHECK(sample.pacing.bps() >= 0 && sample.delivery_rate.bps() >= 0, sample.pacing.bps());
  CHECK(sample.notsent.bits() >= 0, sample.notsent.bytes());
}

void check_event(const tcpinfo::CongestionEvent& event) {
  CHECK(static_cast<std::size_t>(event.kind) < tcpinfo::kEventKinds, event.kind);
  CHECK(!std::string_view{name(event.kind)}.empty(), event.kind);
  CHECK(event.at.time_since_epoch() >= base::Duration{}, event.at.time_since_epoch().count());
  CHECK(event.srtt >= base::Duration{}, event.srtt.count());
}

/// Attributes lie in `bytes`, one after the other, and are written as they were read.
void check_attributes(Bytes bytes) {
  std::vector<std::byte> written;
  std::size_t count = 0;
  auto rest = bytes;
  while (const auto attribute = wire::take_attribute(rest)) {
    const auto end =
        static_cast<std::size_t>(attribute->value.data() - bytes.data()) + attribute->value.size();
    CHECK(end <= bytes.size() - rest.size(), end, rest.size());
    wire::put_attribute(written, attribute->type, attribute->value);
    ++count;
  }
  CHECK(count <= bytes.size() / 4, count, bytes.size());
  rest = written;
  while (wire::take_attribute(rest)) --count;
  CHECK(count == 0 && rest.empty(), count, rest.size());
}

void check_socket(Bytes payload) {
  auto rest = wire::after<std::uint64_t[9]>(payload);  // sizeof(inet_diag_msg)
  check_attributes(rest);
  const auto socket = tcpinfo::parse_diag_socket(payload);
  if (!socket) return;
  for (const auto* address : {&socket->local, &socket->peer}) {
    CHECK(address->ss_family == AF_INET || address->ss_family == AF_INET6, address->ss_family);
  }
  CHECK(socket->congestion_control.find('\0') == std::string::npos, socket->congestion_control);
  CHECK(socket->tcp_info.length <= sizeof(tcpinfo::TcpInfo), socket->tcp_info.length);
  CHECK(!socket->bbr_bandwidth || socket->bbr_bandwidth->bps() >= 0);
  check_sample(to_sample(socket->tcp_info, {}));
}

/// The network that `text` begins with.
tcpinfo::Prefix take_network(fuzz::Input& input) {
  const bool v6 = input.take<bool>();
  tcpinfo::Prefix network;
  network.family = v6 ? AF_INET6 : AF_INET;
  network.length = input.take<std::uint8_t>() % (v6 ? 129U : 33U);
  const auto address = bytes_of(input.take_bytes(v6 ? 16 : 4));
  network.address.assign(address.begin(), address.end());
  network.address.resize(v6 ? 16 : 4);
  return network;
}

void check_route(fuzz::Input input) {
  constexpr std::uint32_t kInitcwnd = 30;
  const auto network = take_network(input);
  const auto first = bytes_of(input.take_bytes(input.take<std::uint16_t>()));
  const auto a = tcpinfo::RawRoute::parse(first);
  const auto b = tcpinfo::RawRoute::parse(bytes_of(input.rest()));
  if (!a) return;
  CHECK(!preferred(*a, *a));
  CHECK(!b || !preferred(*a, *b) || !preferred(*b, *a));
  const auto request = copy_for(*a, network, kInitcwnd);
  const auto copy = tcpinfo::RawRoute::parse(request);
  CHECK(copy && copy->metric(RTAX_INITCWND) == kInitcwnd);
  CHECK(copy->header.rtm_dst_len == network.length, network.length);
  CHECK(!serves(*a, network) || serves(*copy, network));
  CHECK(copy->number(RTA_PRIORITY) == a->number(RTA_PRIORITY), a->number(RTA_PRIORITY));
  for (const int metric : {RTAX_MTU, RTAX_RTT, RTAX_QUICKACK}) {
    CHECK(copy->metric(metric) == a->metric(metric), metric);
  }
  CHECK(copy_for(*copy, network, kInitcwnd) == request);
  check_attributes(copy->attributes);
}

void check_acknowledgement(fuzz::Input input) {
  const auto sent = input.take<std::uint64_t>();
  const auto report = tcpinfo::parse_ack_report(bytes_of(input.rest()));
  if (!report) return;
  CHECK(report->realtime >= base::Duration{}, report->realtime.count());
  const auto end = tcpinfo::unwrap_offset(report->id, sent);
  CHECK(end <= sent, end, sent);
  CHECK(end == 0 || static_cast<std::uint32_t>(end) == report->id, end, report->id);
}

/// A kernel fills at most as much of struct tcp_info as we ask for.
tcpinfo::TcpInfoReading reading_of(std::string_view bytes) {
  tcpinfo::TcpInfoReading reading;
  reading.length = std::min(bytes.size(), sizeof reading.info);
  std::memcpy(&reading.info, bytes.data(), reading.length);
  return reading;
}

void check_tcp_info(fuzz::Input input) {
  constexpr base::Duration kPeriod = std::chrono::milliseconds{33};
  constexpr std::size_t kMostEvents = 65'535 + 3;  // the kernel counts time-outs in 16 bits
  tcpinfo::PolledEvents events;
  base::Time now{};
  while (!input.empty()) {
    const auto reading = reading_of(input.take_bytes(input.take<std::uint16_t>() % 301));
    const auto sample = to_sample(reading, now += kPeriod);
    check_sample(sample);
    const auto found = events.update(sample);
    CHECK(found.size() <= kMostEvents, found.size());
    std::ranges::for_each(found, check_event);
  }
}

}  // namespace

FUZZ_TARGET(kernel) {
  switch (static_cast<Kind>(input.take<std::uint8_t>())) {
    case Kind::kSocket:
      return check_socket(bytes_of(input.rest()));
    case Kind::kRoute:
      return check_route(input);
    case Kind::kAcknowledgement:
      return check_acknowledgement(input);
    case Kind::kEvent:
      if (const auto read = tcpinfo::parse_event_record(bytes_of(input.rest()))) {
        check_event(read->event);
      }
      return;
    case Kind::kTcpInfo:
      return check_tcp_info(input);
  }
}
