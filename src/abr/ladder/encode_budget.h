#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "base/units.h"

namespace abr {

/// Measures the cost of one stream's encoders, and from it how many groups the CPUs can encode in
/// real time, by the encoders' counters over windows of a second. No I/O, no clock; one thread.
///
///   cost = thread CPU time / pixels encoded                  smoothed over about 4 windows
///   load of one more = cost x pixels of a frame x frames per second
///   groups held = (usable CPUs - load of the other streams) / load of one more, at least 1
///
/// That is a forecast. Late frames are the proof: an encoder that skips frames for two windows is
/// behind. Then one group has to be shed, and the number held stays one less for a while. That hold
/// doubles each time that it was too short.
class EncodeBudget {
 public:
  /// One encoder's counters, and the size of its frames. Counters fall only when an encoder is new.
  struct Encoder {
    std::uint32_t group = 0;
    std::uint64_t frames = 0;
    std::uint64_t late = 0;  ///< frames skipped because the encoder was behind
    base::Duration cpu{};
    std::int64_t pixels = 0;
  };

  struct Verdict {
    std::optional<std::size_t> held;  ///< groups, at least 1; nullopt: unknown
    bool shed = false;                ///< close a group: the encoders are behind
  };

  /// `cpus`: number of CPUs that the encoders of all streams may use.
  explicit EncodeBudget(double cpus) : cpus_{cpus} {}

  /// Call several times per second. `others`: sum of load() of the other streams.
  Verdict update(std::span<const Encoder> encoders, double others, base::Time now);

  double load() const { return load_; }  ///< CPUs that this stream's encoders use

 private:
  void measure(std::span<const Encoder> encoders, base::Duration window);
  bool is_behind(std::size_t groups, base::Time now);
  std::optional<std::size_t> held(double others) const;

  const double cpus_;
  base::Time measured_{};
  std::map<std::uint32_t, Encoder> last_;
  double load_ = 0;
  double cost_ = 0;  ///< CPU seconds per pixel; 0: unknown
  double load_of_one_ = 0;
  double late_ = 0;                    ///< share of late frames in the last window
  int late_windows_ = 0;               ///< windows in a row with too many late frames
  std::optional<std::size_t> proven_;  ///< one group more was too many; nullopt: no proof
  base::Duration hold_{};
  base::Time hold_until_{};
};

}  // namespace abr
