#pragma once

#include <algorithm>
#include <optional>

#include "base/units.h"
#include "server/sent_frames.h"
#include "tcpinfo/delivery.h"
#include "tcpinfo/tcp_sample.h"

namespace app {

/// When a frame's last byte was acknowledged.
struct FrameDelivery {
  /// kTimestamp: when the ACK arrived. kTcpInfo: when a TCP_INFO sample or a later frame's
  /// timestamp first showed it, too late by up to `uncertainty`.
  enum class Source { kTimestamp, kTcpInfo };

  base::Time at{};
  Source source = Source::kTcpInfo;
  std::optional<base::Time> head{};  ///< ACK of the frame's head (server::SentFrame), if reported
  base::Duration uncertainty{};      ///< the ACK arrived at most this much earlier
};

/// Matches the kernel's reports about a connection to the frames sent on it. ACK timestamps of
/// marked writes are exact; bytes_acked of TCP_INFO stands in for unmarked frames and lost reports.
/// Belongs to one viewer, used on its loop thread. No I/O, no clock.
class FrameDeliveries {
 public:
  /// Calls fn(SentFrame, FrameDelivery) for each frame that `report` shows as delivered.
  template <typename Fn>
  void on_report(const tcpinfo::Delivery& report, server::SentFrames& sent, Fn fn) {
    sent.take_acked(report.end, [&](const server::SentFrame& frame) {
      fn(frame, delivered_by(report, frame));
    });
    last_report_ = report;
    seen_at_ = std::max(seen_at_, report.at);
  }

  /// Calls fn(SentFrame, FrameDelivery) for each frame that `sample` shows as delivered. If a
  /// marked frame is among them, its report is already on the error queue or lost, so
  /// read_reports() is called first; it passes the waiting reports to on_report().
  template <typename Fn, typename ReadReports>
  void on_sample(const tcpinfo::TcpSample& sample, server::SentFrames& sent, Fn fn,
                 ReadReports read_reports) {
    const auto seen = [&](const server::SentFrame& frame) {
      fn(frame, FrameDelivery{.at = sample.at, .uncertainty = uncertainty(frame, sample.at)});
    };
    const auto in_sample = [&](const server::SentFrame& frame) {
      return acknowledged(frame, sample);
    };
    sent.take_while([&](const auto& frame) { return frame.marked_end == 0 && in_sample(frame); },
                    seen);
    if (sent.oldest() && in_sample(*sent.oldest())) {
      read_reports();
      sent.take_while(in_sample, seen);
    }
    seen_at_ = std::max(seen_at_, sample.at);
  }

 private:
  /// bytes_acked of an accepted socket counts from 0, like the offsets of SentFrame.
  static bool acknowledged(const server::SentFrame& frame, const tcpinfo::TcpSample& sample) {
    return frame.last_offset() <= sample.bytes_acked;
  }
  FrameDelivery delivered_by(const tcpinfo::Delivery& report, const server::SentFrame& frame) const;
  /// A frame that is first seen acknowledged at `at` was not when the last report or sample came.
  base::Duration uncertainty(const server::SentFrame& frame, base::Time at) const {
    return std::max(base::Duration{}, at - std::max(seen_at_, frame.departed));
  }

  tcpinfo::Delivery last_report_;  ///< of a head, if its frame is the next to be delivered
  base::Time seen_at_{};           ///< the newest report or sample
};

}  // namespace app
