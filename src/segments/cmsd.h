#pragma once

#include <optional>
#include <string>

#include "base/units.h"

namespace segments {

/// The state of the path to a player, sent with a response as CMSD-Dynamic (CTA-5006). A value.
struct CmsdDynamic {
  std::optional<base::BitRate> estimated_throughput;  ///< `etp`
  std::optional<base::Duration> round_trip;           ///< `rtt`
  /// `mb`, for all media together: dash.js subtracts the audio's bandwidth from it. dash.js keeps
  /// the last value until it receives another.
  std::optional<base::BitRate> max_suggested;
  bool duress = false;  ///< `du`
};

/// The header's value, an RFC 8941 list of one item: `"symcast";etp=5200;rtt=40;mb=3500;du`.
std::string header(const CmsdDynamic& cmsd);

}  // namespace segments
