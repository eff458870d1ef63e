#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/units.h"

namespace abr {

/// What a connection carries that is idle between transfers, each sent as fast as TCP may: bits
/// acknowledged over the time in which something was under way (tcpi_busy_time), less the round
/// trip that a transfer begins with. Sent in one go, it is never limited by its application: what
/// is left of the path beside others' traffic shows. Pure.
class TransferRate {
 public:
  /// Counters are of the connection.
  struct Sample {
    base::Time at{};
    std::uint64_t acked = 0;            ///< bytes
    base::Duration busy{};              ///< something was under way
    base::Duration receiver_limited{};  ///< of it, held back by the receiver's window
    base::Duration round_trip{};        ///< least
    bool idle = false;                  ///< nothing is under way
  };

  void update(const Sample& sample);
  /// Falls with the newest 200 ms of transfer, rises with the newest second. Zero: not known.
  base::BitRate value() const;
  base::Time measured() const { return measured_; }  ///< the newest transfer that tells of it

 private:
  struct Slice {
    base::Time at{};
    double bits = 0;
    double seconds = 0;
  };
  static constexpr std::size_t kSlices = 16;

  void finish_slice(const Sample& sample, double lead);
  double over(double seconds) const;

  std::optional<Sample> previous_;
  Slice current_;
  bool first_ = true;                    ///< of its transfer
  std::array<Slice, kSlices> slices_{};  ///< ring
  std::size_t count_ = 0;
  base::Time measured_{};
};

}  // namespace abr
