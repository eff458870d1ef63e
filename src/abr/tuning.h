#pragma once

#include <chrono>

#include "base/units.h"

/// Constants that several files of the control loop share.
namespace abr {

/// Share of the measured capacity that a viewer's rate may take. Frames exceed their share by up to
/// a tenth now and then (bench/encoder), and packet trains err by as much. With 0.95 rates are
/// higher by 5 %, and every larger frame queues.
inline constexpr double kHeadroom = 0.9;

/// Relative change of a rate that is not worth a retarget: less is within the noise of the
/// measurement. A wider band leaves capacity unused, a narrower one retargets at every frame.
inline constexpr double kRateDeadBand = 0.03;

/// Video time at the target rate that may be unsent in the kernel (TCP_NOTSENT_LOWAT). One whole
/// frame must fit below the mark, or its rest waits for a wake-up of the event loop; 25 frames per
/// second are the slowest of common sources. More than a frame could not be discarded any more.
inline constexpr base::Duration kMaxUnsentTime = std::chrono::milliseconds{40};

}  // namespace abr
