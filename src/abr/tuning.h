#pragma once

#include <chrono>

#include "base/units.h"

/// Constants that several files of src/abr share.
namespace abr {

/// Share of the measured capacity that a viewer's rate may take. Frames exceed their share by up to
/// a tenth now and then (bench/encoder), and packet trains err by as much. With 0.95, rates are 2 %
/// higher, and p95 is 3 % longer on random links, 7 % on sim_table's `steps` and 19 % on `own`.
inline constexpr double kHeadroom = 0.9;

/// Relative change of a rate that is not worth a retarget: less is within the noise of the
/// measurement. A narrower band retargets at every frame; with 0.06, rates return after 0.87
/// instead of 0.60 s (`sim_table --random 1 --count 100`, without cross traffic).
inline constexpr double kRateDeadBand = 0.03;

/// Without evidence of a path for this long, it may be another path (a handover): earlier packet
/// trains and lower bounds are forgotten. With 1 s, p99 of sim_table's `own` is 6 % longer; with 10
/// s, 0.9 % more frames are late next to cross traffic.
inline constexpr base::Duration kMaxEvidenceGap = std::chrono::seconds{3};

/// Seconds, most of a frame interval. A frame that waited longer queued behind other data. With
/// 0.012, jitter passes for a queue, and p99 of sim_table's `bucket` is 25 % longer; with 0.05 a
/// queue is noticed later, which changes no mean by 3 %.
inline constexpr double kQueuedWait = 0.025;

/// A step up to a capacity that trains have shown is at most this many times a verified rate.
/// With 2, rates return after 0.59 instead of 0.35 s (sim_table's `steps`), and `mobile` has 1.4 %
/// less rate; with 5, p95 of `mobile` is 2 % longer.
inline constexpr double kVerifiedStep = 3.0;

/// A step up that nothing but the absence of trouble justifies multiplies the rate by this. With 2,
/// p95 of sim_table's `steps` is 5 % longer; with 1.2, rates next to cross traffic are 0.8 % lower.
inline constexpr double kBlindStep = 1.5;

/// Video time at the target rate that may be unsent in the kernel (TCP_NOTSENT_LOWAT). One whole
/// frame must fit below the mark, or its rest waits for a wake-up of the event loop; 25 frames per
/// second are the slowest of common sources. With a higher mark, more than one frame could not be
/// discarded any more.
inline constexpr base::Duration kMaxUnsentTime = std::chrono::milliseconds{40};

/// Next to nothing waits if the backlog and frames' waits are shorter, about a frame interval. With
/// 15 ms, p95 is 10 % longer; with 60 ms, p99 is 9 % longer (`sim_table --random 1 --count 100`,
/// without cross traffic).
inline constexpr base::Duration kQuietWait = std::chrono::milliseconds{30};

/// The path is still, and its queue empty, if frames wait less. With 8 ms, rates are 0.4 % lower
/// (1.1 % next to cross traffic); with 30 ms, p95 of `own` is 20 % longer (as for kQuietWait).
inline constexpr base::Duration kStillWait = std::chrono::milliseconds{15};

/// The first and the longest hold after a group was shed or an effort lowered, because the CPUs
/// were too slow. Such a load lasts for minutes (a program, a scene), and another attempt costs the
/// viewers frames. Longer holds leave the CPUs idle for longer when the load is gone. Not measured
/// against other values.
inline constexpr base::Duration kFirstOverloadHold = std::chrono::seconds{30};
inline constexpr base::Duration kLongestOverloadHold = std::chrono::minutes{8};

/// A player that reads nothing for longer is paused. With a longer time, one that has been paused
/// counts for longer; with a shorter one a slow player that reads in large pieces passes for a
/// paused one: 250 KB, a sixteenth of a receive buffer of 4 MB, take 4 s at 500 kbit/s and 8 s at
/// 250. Not measured against other values.
inline constexpr base::Duration kLongestReaderPause = std::chrono::seconds{10};

/// How long a loss makes pacing slower, and how long a viewer is calm before pacing ends. With 1 s,
/// p95 of sim_table's `beside` is 12 % longer; with 20 s, rates return 0.2 s later on `steps`.
inline constexpr base::Duration kLossMemory = std::chrono::seconds{5};

}  // namespace abr
