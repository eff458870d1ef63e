#pragma once

#include <optional>

#include "base/units.h"
#include "server/sent_frames.h"
#include "tcpinfo/delivery.h"
#include "tcpinfo/tcp_sample.h"

namespace app {

/// When a frame's last byte was acknowledged.
struct FrameDelivery {
  /// kTimestamp: the ACK's own time. kTcpInfo: when it was first seen, up to one sample late.
  enum class Source { kTimestamp, kTcpInfo };

  base::Time at{};
  Source source = Source::kTcpInfo;
  std::optional<base::Time> head{};  ///< of its head (server::SentFrame), where that was reported
};

/// Matches what the kernel says of a connection to the frames sent on it. Reports of marked
/// writes are exact; TCP_INFO's bytes_acked stands in for frames that were not marked, and for
/// reports that were lost. One viewer's, used on its loop thread. Pure.
class FrameDeliveries {
 public:
  /// Calls fn(SentFrame, FrameDelivery) for each frame that it shows to be delivered.
  template <typename Fn>
  void on_report(const tcpinfo::Delivery& report, server::SentFrames& sent, Fn fn) {
    sent.take_acked(report.end, [&](const server::SentFrame& frame) {
      fn(frame, delivered_by(report, frame));
    });
    last_report_ = report;
  }

  /// The same. When it has a marked frame acknowledged, the kernel's report is on the error queue
  /// already, or is lost: read_reports() is called to take what there is, by on_report().
  template <typename Fn, typename ReadReports>
  void on_sample(const tcpinfo::TcpSample& sample, server::SentFrames& sent, Fn fn,
                 ReadReports read_reports) {
    const auto seen = [&](const server::SentFrame& frame) {
      fn(frame, FrameDelivery{.at = sample.at});
    };
    const auto in_sample = [&](const server::SentFrame& frame) {
      return acknowledged(frame, sample);
    };
    sent.take_while([&](const auto& frame) { return frame.marked_end == 0 && in_sample(frame); },
                    seen);
    if (!sent.oldest() || !in_sample(*sent.oldest())) return;
    read_reports();
    sent.take_while(in_sample, seen);
  }

 private:
  /// An accepted socket's bytes_acked counts from 0, as SentFrame's offsets do.
  static bool acknowledged(const server::SentFrame& frame, const tcpinfo::TcpSample& sample) {
    return frame.last_offset() <= sample.bytes_acked;
  }
  FrameDelivery delivered_by(const tcpinfo::Delivery& report, const server::SentFrame& frame) const;

  tcpinfo::Delivery last_report_;  ///< of a head, when its frame is next
};

}  // namespace app
