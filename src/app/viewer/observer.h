#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "abr/observation.h"
#include "app/tcp/frame_deliveries.h"
#include "app/tcp/wire_format.h"
#include "base/units.h"
#include "media/packet.h"
#include "server/handler.h"
#include "tcpinfo/congestion_event.h"
#include "tcpinfo/tcp_sample.h"
#include "transcoder/settings.h"

namespace app {

/// Turns what the kernel and the server report of one viewer's connection into the observations of
/// its control loop. No I/O, no clock; used on the viewer's loop thread.
class Observer {
 public:
  /// Facts of this connection that TCP's samples do not have.
  struct Tcp {
    bool paced = false;        ///< TCP keeps to TcpSample::pacing
    bool bbr = false;          ///< BBR ignores ssthresh
    bool rtt_watched = false;  ///< CongestionEvents::rtt_watched()
    unsigned neighbours = 0;   ///< Neighbours::Place::others()
  };

  Observer(const transcoder::AudioSettings& audio, media::Container container)
      : wire_{audio, container} {}

  /// A frame has been acknowledged. Returns false if an older one was dropped to keep it, because
  /// more than kMaxKeptFrames arrived without an observation.
  bool frame_delivered(const server::SentFrame& frame, const FrameDelivery& delivery);
  /// Whether frames have been acknowledged since the last observation.
  bool has_frames() const { return !frames_.empty(); }
  base::Duration frame_interval() const;

  /// `events`: since the last observation. The observation's frames are valid until the next call.
  abr::Observation observe(std::span<const tcpinfo::CongestionEvent> events, const Tcp& tcp,
                           const tcpinfo::TcpSample& sample, const server::ViewerState& viewer);

  /// Frames kept for the next observation. More arrive only if telemetry.samples_per_second is too
  /// low for control; a larger number then only costs memory, a smaller one drops usable frames.
  static constexpr std::size_t kMaxKeptFrames = 64;

 private:
  base::ByteCount padding_in_flight(const server::ViewerState& viewer, std::uint64_t acked);
  bool receiver_limited(const tcpinfo::TcpSample& sample);

  const WireFormat wire_;

  std::vector<abr::DeliveredFrame> frames_;    ///< since the last observation
  std::vector<abr::DeliveredFrame> observed_;  ///< frames of the last observation

  std::optional<media::Pts> last_pts_;
  std::array<base::Duration, 3> intervals_{kFirstFrameInterval, kFirstFrameInterval,
                                           kFirstFrameInterval};
  std::size_t next_interval_ = 0;
  // Assumed before the first frames: 30 frames/s. The first three intervals replace it.
  static constexpr base::Duration kFirstFrameInterval = std::chrono::milliseconds{33};

  base::ByteCount padding_seen_;  ///< ViewerState::padding at the last observation
  base::ByteCount newest_padding_;
  base::ByteCount padding_end_;  ///< offset in the connection at which the newest padding ends

  base::Time limit_checked_{};
  base::Duration limited_before_{};  ///< TcpSample::receiver_limited at limit_checked_
  bool receiver_limited_ = false;
};

}  // namespace app
