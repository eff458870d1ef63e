#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/units.h"

namespace abr {

/// Measures the rate of a connection that is idle between transfers and sends each as fast as TCP
/// allows: acknowledged bits over the time in which data was unacknowledged (tcpi_busy_time). The
/// time in which nothing could arrive is subtracted: the first round trip of a transfer, or the
/// rest of it when a transfer follows another at once. Transfers are not limited by the
/// application, so they show the part of the path that cross traffic leaves. No I/O, no clock.
class TransferRate {
 public:
  /// Counters are those of the connection.
  struct Sample {
    base::Time at{};
    std::uint64_t acked = 0;            ///< bytes
    base::Duration busy{};              ///< time with data unacknowledged
    base::Duration receiver_limited{};  ///< part of `busy` in which the receive window was full
    base::Duration round_trip{};        ///< minimum
    base::BitRate delivery_rate;        ///< the kernel's
    bool window_limited = false;        ///< in slow start, without a queue in the path
    bool idle = false;                  ///< all data is acknowledged
  };

  /// Goes on from what `former` measured: a connection over the same path, which has ended. A
  /// connection for each short segment would otherwise never send enough to know the rate.
  void follow(const TransferRate& former);
  /// The rate that other connections over the same path had.
  void assume(std::optional<base::BitRate> rate) { assumed_ = rate; }
  void update(const Sample& sample);
  /// Leaves out the data since the last sample.
  void skip_idle(const Sample& sample);
  /// Falls with the newest 200 ms of transfer, rises with the newest second. nullopt while unknown,
  /// because no more has been sent than TCP's initial window, which may pass in one burst.
  std::optional<base::BitRate> value() const;
  base::Time measured() const { return measured_; }  ///< the newest transfer that value() includes

 private:
  struct Slice {
    base::Time at{};
    double bits = 0;
    double seconds = 0;
  };
  /// A second of transfer in slices of 200 ms, or 16 shorter transfers. With fewer slices, short
  /// transfers are judged by less than a second; more cost memory per connection. Not measured
  /// against other values.
  static constexpr std::size_t kMaxSlices = 16;

  double of_path(double busy, double bits, const Sample& sample, const Sample& before) const;
  void finish_slice(const Sample& sample);
  Slice newest(double seconds) const;

  std::optional<base::BitRate> assumed_;
  std::optional<Sample> previous_;
  base::Time sampled_{};
  Slice current_;
  double lead_ = 0;                         ///< seconds of current_ in which nothing could arrive
  std::array<Slice, kMaxSlices> slices_{};  ///< ring
  std::size_t count_ = 0;
  base::Time measured_{};
};

}  // namespace abr
