#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "scenario.h"

namespace sim {

/// A link of the family that a policy is for, drawn from wide ranges: 1 to 50 Mbit/s, round trips
/// of 5 to 300 ms, queues of 10 ms to 2 s (five packets at least) with tail drop, CoDel or
/// FQ-CoDel; no loss, random loss or bursts; aggregated or delayed ACKs; token buckets; steps of
/// the rate; up to four flows of CUBIC and BBR, long ones or pages; up to eight viewers of ours.
/// Most links have few of these at a time.
///
/// Rules are made with the seeds below kFirstReportedSeed; the others only measure them.
Scenario family_scenario(std::uint64_t seed);
inline constexpr std::uint64_t kFirstReportedSeed = 1'000'000;

/// A link of that family, for one viewer alone, that fades away until it carries 0.9 to 4 times the
/// audio, for 15 to 30 s, and comes back; in MPEG-TS or FLV.
Scenario faint_scenario(std::uint64_t seed);

/// A link of that family with a queue of 5 to 20 packets, which loses packets only when that is
/// full, for one viewer alone.
Scenario short_queue_scenario(std::uint64_t seed);

/// One viewer beside long flows of others, which come after 10 s and stay: one of CUBIC, one of BBR
/// or four of CUBIC; 3, 8 and 20 Mbit/s; queues of 50 ms to 1 s; with CUBIC and with BBR.
std::vector<Scenario> scenarios_beside_others();

/// A recorded link, for one viewer: lines of `time_ms rate_kbps`, in order, each the rate from that
/// time on; 0: nothing passes. Lines that begin with # are comments. Its queue holds 250 kB and its
/// round trip is 60 ms. Throws std::runtime_error if the file cannot be read or has other lines.
Scenario recorded_scenario(const std::filesystem::path& file);

}  // namespace sim
