#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/units.h"

namespace abr {

/// What a connection carries that is idle between transfers, each sent as fast as TCP may: bits
/// acknowledged over the time in which something was under way (tcpi_busy_time), less that in which
/// nothing could arrive: the round trip that a transfer begins with, and what one that follows
/// another at once has of it. Sent in one go, it is not limited by its application: what is left of
/// the path beside others' traffic shows. Pure.
class TransferRate {
 public:
  /// Counters are of the connection.
  struct Sample {
    base::Time at{};
    std::uint64_t acked = 0;            ///< bytes
    base::Duration busy{};              ///< something was under way
    base::Duration receiver_limited{};  ///< of it, held back by the receiver's window
    base::Duration round_trip{};        ///< least
    base::BitRate delivery_rate;        ///< the kernel's
    bool window_limited = false;        ///< in slow start, and packets do not wait on the path
    bool idle = false;                  ///< nothing is under way
  };

  /// What other connections over the same path carried.
  void assume(std::optional<base::BitRate> rate) { assumed_ = rate; }
  void update(const Sample& sample);
  /// What has passed since the last one is not to be looked at.
  void skip_idle(const Sample& sample) { previous_ = sample; }
  /// Falls with the newest 200 ms of transfer, rises with the newest second. Empty: not known,
  /// because no more has been sent than the first window of TCP, which may pass in one burst.
  std::optional<base::BitRate> value() const;
  base::Time measured() const { return measured_; }  ///< the newest transfer that tells of it

 private:
  struct Slice {
    base::Time at{};
    double bits = 0;
    double seconds = 0;
  };
  static constexpr std::size_t kSlices = 16;

  double of_path(double busy, double bits, const Sample& sample, const Sample& before) const;
  void finish_slice(const Sample& sample);
  Slice newest(double seconds) const;

  std::optional<base::BitRate> assumed_;
  std::optional<Sample> previous_;
  Slice current_;
  double lead_ = 0;                      ///< seconds of current_ that are not of what passed
  std::array<Slice, kSlices> slices_{};  ///< ring
  std::size_t count_ = 0;
  base::Time measured_{};
};

}  // namespace abr
