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
  /// How TCP sends on this connection (SocketSteering).
  struct Tcp {
    bool paced = false;  ///< TCP keeps to TcpSample::pacing
    bool bbr = false;    ///< BBR ignores ssthresh
  };

  Observer(const transcoder::AudioSettings& audio, media::Container container)
      : audio_{audio}, container_{container} {}

  /// A frame has been acknowledged. False when an older one was dropped to keep it: more than
  /// kMaxFrames arrived without an observation.
  bool frame_delivered(const server::SentFrame& frame, const FrameDelivery& delivery);
  /// Frames have been acknowledged since the last observation.
  bool has_frames() const { return !frames_.empty(); }
  base::Duration frame_interval() const;

  /// `events`: since the last observation. The observation's frames are valid until the next call.
  abr::Observation observe(std::span<const tcpinfo::CongestionEvent> events, const Tcp& tcp,
                           const tcpinfo::TcpSample& sample, const server::ViewerState& viewer);

  /// More than telemetry.samples_per_second lets pass between two observations are of no use.
  static constexpr std::size_t kMaxFrames = 64;

 private:
  base::ByteCount padding_in_flight(const server::ViewerState& viewer, std::uint64_t acked);
  bool receiver_limited(const tcpinfo::TcpSample& sample);

  const transcoder::AudioSettings audio_;
  const media::Container container_;

  std::vector<abr::DeliveredFrame> frames_;    ///< since the last observation
  std::vector<abr::DeliveredFrame> observed_;  ///< the last observation's

  std::optional<media::Pts> last_pts_;
  std::array<base::Duration, 3> intervals_{kFirstInterval, kFirstInterval, kFirstInterval};
  std::size_t next_interval_ = 0;
  static constexpr base::Duration kFirstInterval = std::chrono::milliseconds{33};

  base::ByteCount padding_seen_;  ///< of ViewerState::padding
  base::ByteCount newest_padding_;
  base::ByteCount padding_end_;  ///< offset in the connection at which the newest padding ends

  base::Time limit_checked_{};
  base::Duration limited_before_{};  ///< TcpSample::receiver_limited at limit_checked_
  bool receiver_limited_ = false;
};

}  // namespace app
