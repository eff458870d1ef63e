#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/units.h"

namespace tcpinfo {

/// All bytes of a connection below `end` had been acknowledged at `at`. Offsets count from the
/// first byte sent on the connection.
struct Delivery {
  std::uint64_t end = 0;
  base::Time at{};  ///< when the ACK came in
};

/// The kernel's reports of when marked writes were acknowledged: SO_TIMESTAMPING with one message
/// on the socket's error queue per write that carried SOF_TIMESTAMPING_TX_ACK (Linux,
/// Documentation/networking/timestamping.rst). Needs no privileges. A write is marked by its
/// control message, and must be kept apart from the next by MSG_EOR. Belongs to one connection,
/// used on the thread that writes it.
class DeliveryReports {
 public:
  /// From now on writes can be marked; `sent` bytes have been written before. Empty, with errno,
  /// when the kernel refuses. Before Linux 6.2 it does (EBUSY) while something is unacknowledged:
  /// it would count from there.
  static std::optional<DeliveryReports> enable(int fd, std::uint64_t sent);

  /// Takes the reports that wait, and calls fn(Delivery) for each, in the order of the stream.
  /// `sent`: bytes written so far. A socket holds fewer than can be taken by one call; whatever
  /// else waits on the error queue is dropped.
  template <typename Fn>
  void read(int fd, std::uint64_t sent, Fn fn) const {
    Batch batch;
    for (int i = 0; i < kMaxBatches; ++i) {
      receive(fd, sent, batch);
      for (std::size_t d = 0; d < batch.count; ++d) fn(batch.deliveries[d]);
      if (!batch.more) return;
    }
  }

 private:
  static constexpr std::size_t kBatch = 8;  // one or two wait, as a rule
  static constexpr int kMaxBatches = 64;    // 512 reports; the default SO_RCVBUF holds 170

  struct Batch {
    std::array<Delivery, kBatch> deliveries;
    std::size_t count = 0;
    bool more = false;
  };

  explicit DeliveryReports(std::uint64_t base) : base_{static_cast<std::uint32_t>(base)} {}
  void receive(int fd, std::uint64_t sent, Batch& into) const;

  std::uint32_t base_;  ///< the offset from which the kernel counts, modulo 2^32
};

/// A report as the kernel gives it.
struct AckReport {
  std::uint32_t id = 0;       ///< place of the write's last byte
  base::Duration realtime{};  ///< of the ACK: CLOCK_REALTIME, since 1970
};

/// Reads a message's control data. Empty when it is no report of an acknowledgement. Pure.
std::optional<AckReport> parse_ack_report(std::span<const std::byte> control);

/// The offset, at most `sent`, whose lower half is `low`: a report is of the last 4 GiB. Pure.
std::uint64_t unwrap_offset(std::uint32_t low, std::uint64_t sent);

}  // namespace tcpinfo
