#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "base/units.h"

namespace abr {

/// What the encoders of one stream cost, and so how many of them the CPUs hold in real time. Pure;
/// one thread. From the counters of the encoders, over windows of a second:
///
///   cost = thread CPU time / pixels encoded                      smoothed over some 4 windows
///   load of one more = cost x pixels of a frame x frames per second
///   groups held = (usable CPUs - load of the other streams) / load of one more, 1 at least
///
/// That is a forecast; the truth is lateness: an encoder that skips frames for two windows is
/// behind. Then one group is to be shed, and the number held is one less for a hold, which doubles
/// each time that it was too short.
class EncodeBudget {
 public:
  /// One encoder's counters, and the size of its frames; rising, but for a new encoder.
  struct Encoder {
    std::uint32_t group = 0;
    std::uint64_t frames = 0;
    std::uint64_t late = 0;  ///< before encoding: it was late
    base::Duration cpu{};
    std::int64_t pixels = 0;
  };

  struct Verdict {
    std::optional<std::size_t> held;  ///< groups, at least 1; empty: nothing is known
    bool shed = false;                ///< close one: the encoders are behind
  };

  /// `cpus`: what all streams' encoders may take.
  explicit EncodeBudget(double cpus) : cpus_{cpus} {}

  /// Several times per second; `others`: load() of the other streams.
  Verdict update(std::span<const Encoder> encoders, double others, base::Time now);

  double load() const { return load_; }  ///< CPUs that this stream's encoders take

 private:
  void measure(std::span<const Encoder> encoders, base::Duration window);
  bool is_behind(std::size_t groups, base::Time now);
  std::optional<std::size_t> held(double others) const;

  const double cpus_;
  base::Time measured_{};
  std::map<std::uint32_t, Encoder> last_;
  double load_ = 0;
  double cost_ = 0;  ///< CPU seconds of a pixel; 0: unknown
  double load_of_one_ = 0;
  double late_ = 0;                    ///< share of the last window's frames
  int late_windows_ = 0;               ///< in a row
  std::optional<std::size_t> proven_;  ///< more were too many; empty: none were
  base::Duration hold_{};
  base::Time hold_until_{};
};

}  // namespace abr
