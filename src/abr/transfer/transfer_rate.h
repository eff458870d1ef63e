#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/units.h"

namespace abr {

/// Measures the rate of a connection that is idle between transfers and sends each as fast as TCP
/// allows: bits acknowledged, in order or not, over the time in which data was unacknowledged
/// (tcpi_busy_time). The time in which nothing could arrive is subtracted: the first round trip of
/// a transfer, or the rest of it when a transfer follows another at once, and the time in which
/// only a lost segment was missing. Transfers are not limited by the application, so they show the
/// part of the path that cross traffic leaves. No I/O, no clock.
class TransferRate {
 public:
  /// Counters are those of the connection.
  struct Sample {
    base::Time at{};
    std::uint64_t acked = 0;            ///< bytes, in order
    std::uint64_t sacked = 0;           ///< bytes acknowledged out of order, at present
    std::uint64_t retransmits = 0;      ///< segments
    base::Duration busy{};              ///< time with data unacknowledged
    base::Duration receiver_limited{};  ///< part of `busy` in which the receive window was full
    base::Duration min_rtt{};
    base::Duration rtt{};         ///< smoothed
    base::BitRate delivery_rate;  ///< the kernel's
    bool window_limited = false;  ///< in slow start, without a queue in the path
    bool repairing = false;       ///< only lost segments are missing
    bool idle = false;            ///< all data is acknowledged
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
  /// Nothing has arrived for longer than a retransmission takes: value() counts the time since
  /// then, and no longer does so when it turns out that a lost segment was missing.
  bool is_silent() const;
  /// The time in which only lost segments were missing, in all transfers. value() leaves it out.
  base::Duration repaired() const { return base::from_seconds(repaired_); }
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

  double bits_arrived(const Sample& sample);
  void end_quiet(const Sample& sample, const Sample& before);
  double of_path(double busy, double bits, const Sample& sample, const Sample& before) const;
  void finish_slice(const Sample& sample);
  Slice newest(double seconds) const;

  std::optional<base::BitRate> assumed_;
  std::optional<Sample> previous_;
  std::uint64_t arrived_ = 0;  ///< most bytes that a sample has had acknowledged, in order or not
  base::Time sampled_{};
  Slice current_;
  double lead_ = 0;      ///< seconds of current_ in which nothing could arrive
  double quiet_ = 0;     ///< seconds of transfer since something arrived, not yet in current_
  double repaired_ = 0;  ///< seconds
  std::uint64_t quiet_retransmits_ = 0;     ///< Sample::retransmits when quiet_ began
  std::array<Slice, kMaxSlices> slices_{};  ///< ring
  std::size_t count_ = 0;
  base::Time measured_{};
};

}  // namespace abr
