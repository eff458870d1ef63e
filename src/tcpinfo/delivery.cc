#include "tcpinfo/delivery.h"

#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

namespace tcpinfo {

namespace {

// SOF_TIMESTAMPING_OPT_ID_TCP of include/uapi/linux/net_tstamp.h, Linux 6.2: ids count from the
// bytes written so far, not from the bytes acknowledged so far.
constexpr int kOptIdTcpFlag = 1 << 16;

// Software timestamps with an id, without the data. Each write asks for its own.
constexpr int kTimestampingFlags =
    SOF_TIMESTAMPING_SOFTWARE | SOF_TIMESTAMPING_OPT_ID | SOF_TIMESTAMPING_OPT_TSONLY;

bool set_timestamping(int fd, int flags) {
  return ::setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof flags) == 0;
}

bool all_acknowledged(int fd) {
  int bytes = 0;
  return ::ioctl(fd, SIOCOUTQ, &bytes) == 0 && bytes == 0;
}

// Control data of a report: three timestamps, and the error with an IPv6 address.
constexpr std::size_t kControlBytes = CMSG_SPACE(sizeof(scm_timestamping)) +
                                      CMSG_SPACE(sizeof(sock_extended_err) + sizeof(sockaddr_in6));

struct ClockPair {
  base::Time now;
  base::Duration realtime_ahead;  ///< CLOCK_REALTIME minus base::Clock
};

/// Reads both clocks, again if the thread was preempted between the two readings.
ClockPair read_clocks() {
  constexpr int kMaxReadings = 3;
  constexpr base::Duration kMaxReadingGap = std::chrono::microseconds{2};  // a reading takes 30 ns
  ClockPair pair{};
  for (int i = 0; i < kMaxReadings; ++i) {
    const auto before = base::Clock::now();
    const base::Duration realtime = std::chrono::system_clock::now().time_since_epoch();
    pair = {base::Clock::now(), realtime - before.time_since_epoch()};
    if (pair.now - before < kMaxReadingGap) break;
  }
  return pair;
}

using Bytes = std::span<const std::byte>;

/// Calls fn(header, data) for each message of control data; stops at a truncated one.
template <typename Fn>
void for_each_message(Bytes control, Fn fn) {
  cmsghdr header;
  while (control.size() >= sizeof header) {
    std::memcpy(&header, control.data(), sizeof header);
    if (header.cmsg_len < CMSG_LEN(0) || header.cmsg_len > control.size()) return;
    fn(header, control.first(header.cmsg_len).subspan(CMSG_LEN(0)));
    control = control.subspan(std::min<std::size_t>(CMSG_ALIGN(header.cmsg_len), control.size()));
  }
}

template <typename T>
std::optional<T> read_as(Bytes data) {
  T value;
  if (data.size() < sizeof value) return std::nullopt;
  std::memcpy(&value, data.data(), sizeof value);
  return value;
}

bool is_timestamps(const cmsghdr& header) {
  return header.cmsg_level == SOL_SOCKET && header.cmsg_type == SCM_TIMESTAMPING;
}

bool is_error(const cmsghdr& header) {
  return (header.cmsg_level == SOL_IP && header.cmsg_type == IP_RECVERR) ||
         (header.cmsg_level == SOL_IPV6 && header.cmsg_type == IPV6_RECVERR);
}

bool is_acknowledgement(const sock_extended_err& error) {
  return error.ee_origin == SO_EE_ORIGIN_TIMESTAMPING && error.ee_info == SCM_TSTAMP_ACK;
}

/// nullopt if it is no time: negative, or beyond the year 2262.
std::optional<base::Duration> since_1970(const timespec& time) {
  constexpr auto kEnd = std::chrono::floor<std::chrono::seconds>(base::Duration::max()).count();
  constexpr long kSecond = 1'000'000'000;
  if (time.tv_sec < 0 || time.tv_sec >= kEnd || time.tv_nsec < 0 || time.tv_nsec >= kSecond) {
    return std::nullopt;
  }
  return std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec};
}

}  // namespace

std::optional<DeliveryReports> DeliveryReports::enable(int fd, std::uint64_t sent) {
  if (set_timestamping(fd, kTimestampingFlags | kOptIdTcpFlag)) return DeliveryReports{sent};
  if (errno != EINVAL) return std::nullopt;
  if (!all_acknowledged(fd)) {
    errno = EBUSY;
    return std::nullopt;
  }
  if (!set_timestamping(fd, kTimestampingFlags)) return std::nullopt;
  return DeliveryReports{sent};
}

void DeliveryReports::receive(int fd, std::uint64_t sent, Batch& into) const {
  struct alignas(cmsghdr) Control {
    std::array<std::byte, kControlBytes> bytes;
  };
  std::array<Control, kBatchReports> controls;
  std::array<mmsghdr, kBatchReports> messages{};
  for (std::size_t i = 0; i < kBatchReports; ++i) {
    messages[i].msg_hdr.msg_control = controls[i].bytes.data();
    messages[i].msg_hdr.msg_controllen = kControlBytes;
  }
  const int count =
      ::recvmmsg(fd, messages.data(), kBatchReports, MSG_ERRQUEUE | MSG_DONTWAIT, nullptr);
  into.count = 0;
  into.more = count == static_cast<int>(kBatchReports);
  if (count <= 0) return;
  const auto clocks = read_clocks();
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const auto size = messages[i].msg_hdr.msg_controllen;
    const auto report = parse_ack_report(std::span{controls[i].bytes}.first(size));
    if (!report) continue;
    const base::Time at{report->realtime - clocks.realtime_ahead};
    // CLOCK_REALTIME may have been set meanwhile; no delivery lies in the future.
    into.deliveries[into.count++] = {unwrap_offset(base_ + report->id + 1, sent),
                                     std::min(at, clocks.now)};
  }
}

std::optional<AckReport> parse_ack_report(std::span<const std::byte> control) {
  std::optional<scm_timestamping> times;
  std::optional<sock_extended_err> error;
  for_each_message(control, [&](const cmsghdr& header, Bytes data) {
    if (is_timestamps(header)) times = read_as<scm_timestamping>(data);
    if (is_error(header)) error = read_as<sock_extended_err>(data);
  });
  if (!times || !error || !is_acknowledgement(*error)) return std::nullopt;
  const auto realtime = since_1970(times->ts[0]);
  if (!realtime) return std::nullopt;
  return AckReport{error->ee_data, *realtime};
}

std::uint64_t unwrap_offset(std::uint32_t low, std::uint64_t sent) {
  const std::uint32_t behind = static_cast<std::uint32_t>(sent) - low;
  return sent < behind ? 0 : sent - behind;
}

}  // namespace tcpinfo
