#pragma once

#include <optional>
#include <string>

#include "base/units.h"

namespace segments {

/// What a response tells its player of the way to it: CMSD-Dynamic (CTA-5006). A value, without
/// I/O.
struct CmsdDynamic {
  std::optional<base::BitRate> estimated_throughput;
  std::optional<base::Duration> round_trip;
  /// Of everything that plays, audio included: dash.js subtracts the audio's bandwidth. It keeps
  /// the last one it was told; only another replaces it.
  std::optional<base::BitRate> max_suggested;
  bool duress = false;
};

/// The header's value, an RFC 8941 list of one item: `"symcast";etp=5200;rtt=40;mb=3500;du`.
std::string header(const CmsdDynamic& cmsd);

}  // namespace segments
