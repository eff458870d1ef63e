#include "segments/cmsd.h"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>

namespace segments {

namespace {

constexpr std::int64_t kKilobit = 1000;

std::int64_t nearest_kilobit(base::BitRate rate) { return (rate.bps() + kKilobit / 2) / kKilobit; }

std::int64_t kilobits_to_hold(base::BitRate rate) { return (rate.bps() + kKilobit - 1) / kKilobit; }

}  // namespace

/// Without spaces, and keys in the order of CTA-5006's examples: dash.js 4 splits at each ';', and
/// would take a space for part of the key. `etp` is rounded to the nearest kilobit per second, as
/// CTA-5006 has it. It has no rule for `mb`, where players leave out what is above: rounded down it
/// would take away the very rate that it names.
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
  if (cmsd.duress) out += ";du";  // absent where false, never ;du=?0
  return out;
}

}  // namespace segments
