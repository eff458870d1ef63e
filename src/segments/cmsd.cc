#include "segments/cmsd.h"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>

namespace segments {

namespace {

constexpr std::int64_t kBitsPerKilobit = 1000;

std::int64_t nearest_kilobit(base::BitRate rate) {
  return (rate.bps() + kBitsPerKilobit / 2) / kBitsPerKilobit;
}

std::int64_t kilobits_to_hold(base::BitRate rate) {
  return (rate.bps() + kBitsPerKilobit - 1) / kBitsPerKilobit;
}

}  // namespace

/// The value has no spaces, because dash.js 4 splits it at each ';' and would take a space for part
/// of the key. The keys are in the order of CTA-5006's examples, which rounds `etp` to the nearest
/// kilobit per second. CTA-5006 has no rule for `mb`. Players do not use rates above `mb`, so
/// rounding it down would exclude the very rate it names.
std::string header(const CmsdDynamic& cmsd) {
  std::string out = "\"symcast\"";
  const auto end = std::back_inserter(out);
  if (cmsd.estimated_throughput) {
    fmt::format_to(end, ";etp={}", nearest_kilobit(*cmsd.estimated_throughput));
  }
  if (cmsd.round_trip) {
    const auto rtt = std::chrono::round<std::chrono::milliseconds>(*cmsd.round_trip);
    fmt::format_to(end, ";rtt={}", rtt.count());
  }
  if (cmsd.max_suggested) fmt::format_to(end, ";mb={}", kilobits_to_hold(*cmsd.max_suggested));
  if (cmsd.duress) out += ";du";  // omitted when false, never ";du=?0"
  return out;
}

}  // namespace segments
