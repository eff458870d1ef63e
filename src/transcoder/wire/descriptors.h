#pragma once

namespace transcoder::wire {

/// The descriptors with which the daemon starts a source's process, behind the standard ones.
inline constexpr int kMediaFd = 3;    ///< Channel: FromChild and FromDaemon
inline constexpr int kRingFd = 4;     ///< memory of a RingReader
inline constexpr int kProgramFd = 5;  ///< the program itself

}  // namespace transcoder::wire
