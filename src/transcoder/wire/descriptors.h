#pragma once

namespace transcoder::wire {

/// The descriptors with which the daemon starts a source's process, behind the standard ones.
inline constexpr int kMediaFd = 3;    ///< Channel: FromChild and FromDaemon
inline constexpr int kRingFd = 4;     ///< memory of a RingReader
inline constexpr int kAccessFd = 5;   ///< Channel: AccessRequest, but for lookups, and AccessAnswer
inline constexpr int kLookupFd = 6;   ///< Channel: Lookup and AccessAnswer
inline constexpr int kLastFd = 6;     ///< of those that stay open
inline constexpr int kProgramFd = 7;  ///< the program itself

}  // namespace transcoder::wire
