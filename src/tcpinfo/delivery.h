#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/units.h"

namespace tcpinfo {

/// The time at which a connection's bytes up to an offset were acknowledged. Offset 0 is the first
/// byte sent on the connection.
struct Delivery {
  std::uint64_t end = 0;  ///< all bytes below this offset are acknowledged
  base::Time at{};        ///< when the ACK arrived
};

/// Reads the kernel's ACK timestamps of marked writes. SO_TIMESTAMPING puts one message on the
/// socket's error queue per write that carried SOF_TIMESTAMPING_TX_ACK (Linux,
/// Documentation/networking/timestamping.rst). Needs no privileges. A control message marks a
/// write, and MSG_EOR must separate the write from the next one. Belongs to one connection; used on
/// the thread that writes to it.
class DeliveryReports {
 public:
  /// Enables marking for a connection on which `sent` bytes have been written. Returns nullopt and
  /// sets errno if the kernel refuses. Before Linux 6.2 it fails with EBUSY while bytes are
  /// unacknowledged, because the kernel would count from those.
  static std::optional<DeliveryReports> enable(int fd, std::uint64_t sent);

  /// Takes the waiting reports and calls fn(Delivery) for each, in stream order. `sent`: bytes
  /// written so far. One call can take more reports than a socket holds. Other messages on the
  /// error queue are dropped.
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
  static constexpr std::size_t kBatchReports = 8;  // usually one or two reports wait
  static constexpr int kMaxBatches = 64;           // 512 reports; the default SO_RCVBUF holds 170

  struct Batch {
    std::array<Delivery, kBatchReports> deliveries;
    std::size_t count = 0;
    bool more = false;
  };

  explicit DeliveryReports(std::uint64_t base) : base_{static_cast<std::uint32_t>(base)} {}
  void receive(int fd, std::uint64_t sent, Batch& into) const;

  std::uint32_t base_;  ///< offset at which the kernel's ids begin, modulo 2^32
};

/// An ACK report as the kernel delivers it.
struct AckReport {
  std::uint32_t id = 0;       ///< offset of the write's last byte, counted from the kernel's base
  base::Duration realtime{};  ///< when the ACK arrived: CLOCK_REALTIME, since 1970
};

/// Parses the control data of an error queue's message; nullopt if it is not an ACK report, or
/// has no valid time. A pure function.
std::optional<AckReport> parse_ack_report(std::span<const std::byte> control);

/// The largest offset up to `sent` whose low 32 bits are `low`: reports concern the last 4 GiB. 0
/// if there is none. A pure function.
std::uint64_t unwrap_offset(std::uint32_t low, std::uint64_t sent);

}  // namespace tcpinfo
