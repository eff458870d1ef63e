#pragma once

#include <optional>

#include "tcpinfo/tcp_sample.h"

namespace tcpinfo {

/// The samples of one connection. Keeps its times to what can be, so that a wrong one misleads
/// nobody who takes differences: a time grows no faster than time passes. The kernel counts times
/// in 32 bits of jiffies, which begin again after 49 days at 1000 Hz: a time that goes back has not
/// grown. All else stays as it was read: a wrong number of acknowledged bytes is right again with
/// the next sample, and nothing in TCP_INFO shows which of the two was wrong. No I/O, no clock.
class SampleSeries {
 public:
  /// For each sample, in the order in which they were taken.
  TcpSample next(TcpSample sample);

 private:
  /// A time of the whole connection.
  class TimeCounter {
   public:
    base::Duration next(base::Duration read, base::Duration passed);

   private:
    std::optional<base::Duration> read_;  ///< the last reading
    base::Duration total_{};
    base::Duration slack_ = kSlack;
  };

  /// A time may grow this much sooner than time passes: the kernel adds a whole jiffy, of at most
  /// 10 ms, and TcpSample::at is when the event loop woke up, which may be somewhat earlier than
  /// the reading. Smaller would cut true readings of a busy machine, larger lets wrong ones pass.
  static constexpr base::Duration kSlack = std::chrono::milliseconds{100};

  std::optional<base::Time> at_;  ///< of the last sample
  TimeCounter busy_;
  TimeCounter receiver_limited_;
};

}  // namespace tcpinfo
