#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "abr/ladder/encoder_effort.h"
#include "base/units.h"

namespace abr {

/// Measures the cost of one stream's encoders, and from it how many groups the CPUs can encode in
/// real time, by the encoders' counters over windows of a second. No I/O, no clock; one thread.
///
///   cost = thread CPU time / pixels encoded                  smoothed over about 4 windows
///   load of one more = cost x pixels of a frame x frames per second
///   usable = min(share x CPUs, kBusyShare x CPUs - load of the process without encoders)
///   groups held = (usable - load of the other streams' encoders) / load of one more, at least 1
///
/// While the event loops are so busy that they send frames later, only a second group is opened,
/// for those who fall behind: another encoder would take more of their time.
///
/// The load of one more is counted at the effort EncoderEffort::kFirst. Usable CPUs that the groups
/// leave become a higher effort.
///
/// That is a forecast. Late frames are the proof: an encoder that skips frames for two windows is
/// behind. Then one group has to be shed, and the number held stays one less for a while. That hold
/// doubles each time that it was too short. When the whole process uses all CPUs, the stream with
/// the most expensive encoders also sheds a group, so that viewers get their frames in time.
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
    std::optional<std::size_t> held;             ///< groups, at least 1; nullopt: unknown
    bool shed = false;                           ///< close a group: the encoders are behind
    std::size_t effort = EncoderEffort::kFirst;  ///< of all encoders of the stream
  };

  /// The rest of the work of the process, in CPUs.
  struct Others {
    double encoders = 0;    ///< sum of load() of the other streams
    double most = 0;        ///< the highest of these
    double rest = 0;        ///< all but the encoders: sources, event loops
    bool late = false;      ///< the event loops send frames later, to save time
    bool may_raise = true;  ///< no other stream has just raised its effort
  };

  /// `cpus`: number of CPUs that the process may use. `share`: of these, for the encoders of all
  /// streams. `chooses_effort`: the encoders have more than one.
  EncodeBudget(double cpus, double share, bool chooses_effort)
      : cpus_{cpus}, share_{share}, effort_{chooses_effort} {}

  /// Call several times per second.
  Verdict update(std::span<const Encoder> encoders, const Others& others, base::Time now);

  double load() const { return load_; }  ///< CPUs that this stream's encoders use

 private:
  void measure(std::span<const Encoder> encoders, base::Duration window);
  bool is_behind(std::size_t groups, const Others& others, base::Time now);
  bool is_crowded(const Others& others) const;
  void choose_effort(const Others& others, base::Time now);
  double usable(const Others& others) const;
  std::optional<std::size_t> held(const Others& others) const;

  const double cpus_;
  const double share_;
  base::Time measured_{};
  std::map<std::uint32_t, Encoder> last_;
  EncoderEffort effort_;
  double load_ = 0;
  double cost_ = 0;  ///< CPU seconds per pixel at the present effort; 0: unknown
  double load_of_one_ = 0;
  double late_ = 0;                    ///< share of late frames in the last window
  int late_windows_ = 0;               ///< windows in a row that were behind or crowded
  std::optional<std::size_t> proven_;  ///< one group more was too many; nullopt: no proof
  base::Duration hold_{};
  base::Time hold_until_{};
};

}  // namespace abr
