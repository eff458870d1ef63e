#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "abr/control/control_loop.h"
#include "abr/ladder/proof.h"
#include "abr/networks/experience.h"
#include "app/stream/live_stream.h"
#include "app/tcp/congestion_events.h"
#include "app/tcp/delivery_watch.h"
#include "app/tcp/final_statistics.h"
#include "app/tcp/known_networks.h"
#include "app/tcp/neighbours.h"
#include "app/tcp/socket_steering.h"
#include "app/tcp/socket_warnings.h"
#include "app/tcp/start_control.h"
#include "app/tcp/telemetry_budget.h"
#include "app/telemetry/connection_table.h"
#include "app/telemetry/segment_count.h"
#include "app/telemetry/viewer_record.h"
#include "app/viewer/frame_delays.h"
#include "app/viewer/observer.h"
#include "server/handler.h"
#include "tcpinfo/sample_series.h"
#include "tcpinfo/tcp_sampler.h"

namespace app {

/// Drives one viewer's abr::ControlLoop: takes TCP_INFO samples at each frame, before the next one
/// is captured, at acknowledgements and at congestion events, and carries the loop's actions out on
/// the socket, the stream's ladder and the encoder. Lives on the viewer's loop thread.
class ViewerControl : public server::ViewerObserver {
 public:
  /// These objects must outlive the viewers.
  struct Deps {
    tcpinfo::TcpSampler& sampler;
    EventDispatch& events;
    FinalStatistics& ends;
    tcpinfo::EventSource event_source;
    ViewerTable& table;
    ConnectionTable& connections;
    LoopBudgets& budgets;
    const tcpinfo::SocketHints& hints;
    StandardControls standard_controls;
    KnownNetworks& networks;
    Neighbours& neighbours;
    SocketWarnings& warnings;
    Trace* trace;  ///< null if no trace is written
    ViewerTaps& taps;
  };

  /// Joins the stream's ladder, which may open an encode group. Throws what Ladder::join throws.
  ViewerControl(const server::ViewerRequest& request, const std::shared_ptr<LiveStream>& stream,
                const Deps& deps, base::Time now);
  ~ViewerControl() override;

  media::ChannelId channel() const { return current_.channel; }

  void on_join(const server::ViewerTick& tick) override;
  std::optional<base::Time> on_tick(const server::ViewerTick& tick) override;
  std::optional<base::Time> on_sample_due(const server::ViewerTick& tick) override;
  bool may_wait() const override { return current_.calm; }
  server::TxTimestampRequest tx_timestamps(base::ByteCount size, base::Time now) override;
  void on_error_queue(const server::ViewerTick& tick) override;
  void on_leave(const server::ViewerTick& tick, server::LeaveReason reason) override;

 private:
  using Settings = std::shared_ptr<const LiveStream::ViewerSettings>;
  /// The parts of a ViewerTick that stay the same from on_join to on_leave.
  struct Joined {
    const server::ViewerState& state;
    server::ViewerActs& acts;
    int fd;
  };
  /// All that most frames of most viewers touch here: one cache line with the object's start.
  struct Current {
    bool sample_due(bool waiting, base::Time now) const { return waiting || now >= next_sample; }
    /// Whether a frame has the same group and rate as the one before.
    bool same_stream(const server::ViewerState& state) const {
      return state.channel == channel && state.rate == rate;
    }

    base::Time next_sample{};  ///< ControlLoop::next_sample()
    media::ChannelId channel;
    base::BitRate rate;  ///< of the newest frame
    bool calm = false;   ///< Actions::calm
  };

  ViewerControl(const server::ViewerRequest& request, const std::shared_ptr<LiveStream>& stream,
                const Deps& deps, const Settings& settings, base::Time now);
  ViewerControl(const server::ViewerRequest& request, std::shared_ptr<LiveStream> stream,
                const Deps& deps, const Settings& settings, const StartControl& start,
                base::Time now);

  void on_event(const tcpinfo::CongestionEvent& event, base::Time now);
  void follow_settings();
  void note_event(const tcpinfo::CongestionEvent& event, tcpinfo::EventSource source,
                  base::Time now);
  void on_delivered(const server::SentFrame& frame, const FrameDelivery& delivery);
  std::optional<base::Time> next_sample_time(const server::ViewerTick& tick) const;

  std::optional<tcpinfo::TcpSample> take_sample(base::Time now);
  void prove(const tcpinfo::TcpSample& sample, bool window_closed, base::Time now);
  bool run(std::span<const tcpinfo::CongestionEvent> events, const tcpinfo::TcpSample& sample,
           base::Time now);
  bool carry_out(const abr::Actions& actions, base::Time now);
  void change(abr::CongestionControl wanted, base::Time now);
  void pause(base::Duration length, base::Time now);
  void discard(base::Time now);
  void note(const server::ViewerTick& tick, const tcpinfo::TcpSample& sample);
  void note_experience(base::Time now);
  void credit(base::Time now);

  Current current_;  // first, for the cache line
  const std::uint64_t id_;
  const std::shared_ptr<LiveStream> stream_;
  const Deps& deps_;
  FrameDelays delays_;
  unsigned settings_revision_ = 0;  ///< of the limits that hold
  abr::ControlLoop control_;
  abr::StreamProof proof_;
  abr::Standing standing_ = abr::Standing::kUnproven;
  SegmentCount segments_;
  std::optional<Joined> joined_;
  tcpinfo::SampleSeries series_;
  CongestionEvents events_;
  SampleTurns turns_;
  DeliveryWatch deliveries_;
  Observer observer_;
  SocketSteering steering_;
  ViewerRecord record_;
  abr::Experience experience_;
  const base::Address peer_;
  const Neighbours::Place place_;
  const bool learns_;  ///< the network's history gets what this viewer experiences
  abr::RateLimits limits_;
  base::Time next_credit_{};
  bool private_ = true;  ///< the group had no other viewer at the last sample of a frame
};

}  // namespace app
