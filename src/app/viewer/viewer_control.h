#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "abr/path/path_model.h"
#include "abr/rate_policy.h"
#include "app/stream/live_stream.h"
#include "app/tcp/delivery_watch.h"
#include "app/tcp/event_dispatch.h"
#include "app/tcp/final_statistics.h"
#include "app/tcp/socket_steering.h"
#include "app/tcp/socket_warnings.h"
#include "app/tcp/telemetry_budget.h"
#include "app/telemetry/send_rate.h"
#include "app/telemetry/session_lines.h"
#include "app/telemetry/trace.h"
#include "app/telemetry/viewer_table.h"
#include "app/telemetry/viewer_taps.h"
#include "app/viewer/frame_interval.h"
#include "app/viewer/padding_watch.h"
#include "app/viewer/receiver_limit.h"
#include "server/handler.h"
#include "tcpinfo/polled_events.h"
#include "tcpinfo/tcp_sampler.h"

namespace app {

/// The control loop of one viewer: at each frame, and at once when a congestion event is pushed,
/// what the kernel says of the connection becomes an observation, the policy's decision goes to the
/// stream's ladder, and both go to metrics and trace. Lives on the viewer's loop thread.
class ViewerControl : public server::ViewerObserver {
 public:
  struct Deps {
    tcpinfo::TcpSampler& sampler;
    EventDispatch& events;
    FinalStatistics& ends;
    tcpinfo::EventSource event_source;
    ViewerTable& table;
    LoopBudgets& budgets;
    const tcpinfo::SocketHints& hints;
    std::string standard_congestion_control;  ///< of streams that name none
    SocketWarnings& warnings;
    Trace* trace;  ///< null: no trace
    ViewerTaps& taps;
  };

  ViewerControl(const server::ViewerRequest& request, std::shared_ptr<LiveStream> stream, Deps deps,
                base::Time now);
  ~ViewerControl() override;

  media::ChannelId channel() const { return channel_; }

  void on_join(const server::ViewerTick& tick) override;
  std::optional<base::Time> on_tick(const server::ViewerTick& tick) override;
  std::optional<base::Time> on_sample_due(const server::ViewerTick& tick) override;
  server::TxTimestampRequest tx_timestamps(base::ByteCount size, base::Time now) override {
    return deliveries_.tx_timestamps(size, now);
  }
  void on_error_queue(const server::ViewerTick& tick) override;
  void on_leave(const server::ViewerTick& tick, server::LeaveReason reason) override;

 private:
  void on_event(const tcpinfo::CongestionEvent& event, base::Time now);
  std::vector<tcpinfo::CongestionEvent> polled_events(const tcpinfo::TcpSample& sample);
  void note_event(const tcpinfo::CongestionEvent& event, tcpinfo::EventSource source,
                  base::Time now);
  /// True when the rate of an encode group followed at once.
  bool decide(std::span<const tcpinfo::CongestionEvent> events, const tcpinfo::TcpSample& sample,
              const server::ViewerState& state, base::Time now);
  void note_group(const server::ViewerTick& tick);
  void delivered(const server::SentFrame& frame, const FrameDelivery& delivery);
  void note_frame(const server::SentFrame& frame, const FrameDelivery& delivery);
  void relieve(const abr::Decision& decision, base::Time now);
  void skip(unsigned frames);
  void resume(const abr::Decision& decision, base::Time now);
  bool report(const abr::Decision& decision, base::Time now);
  bool apply(const abr::Decision& decision, base::Time now);
  std::optional<base::Time> next_sample(const server::ViewerTick& tick) const;
  void note(const server::ViewerTick& tick, const tcpinfo::TcpSample& sample);
  void publish(base::Time now);
  void put_sample(const server::ViewerTick& tick);

  const server::ViewerId id_;
  const int loop_;
  const media::Container container_;
  const std::shared_ptr<LiveStream> stream_;
  const Deps deps_;
  const base::Time requested_;
  const std::shared_ptr<const LiveStream::ViewerSettings> settings_;
  abr::PathModel path_;
  const std::unique_ptr<abr::RatePolicy> policy_;
  media::ChannelId channel_;
  const server::ViewerState* state_ = nullptr;  ///< null: has not joined
  server::ViewerActs* acts_ = nullptr;          ///< likewise
  int fd_ = -1;
  std::unique_ptr<EventDispatch::Watch> watch_;  ///< null: events are polled
  tcpinfo::PolledEvents polled_;
  TelemetryBudget& samples_;
  TelemetryBudget::Turn sample_turn_;        ///< at frames
  TelemetryBudget::Turn report_turn_;        ///< at acknowledgements
  TelemetryBudget::Turn sample_ahead_turn_;  ///< before frames
  DeliveryWatch deliveries_;
  SessionLines lines_;
  SendRate send_rate_;  ///< of the samples among them
  bool first_frame_seen_ = false;
  base::Time last_acked_capture_{};
  std::vector<abr::Delivered> frames_;  ///< since the last decision
  bool may_skip_ = true;                ///< a frame has come since the last one was skipped
  ReceiverLimit receiver_limit_;
  PaddingWatch padding_;
  FrameInterval interval_;
  SocketSteering steering_;
  base::Time next_publish_{};
  base::Time next_trace_sample_{};
  base::Time next_recovery_{};
  base::BitRate reported_;  ///< to the ladder: what the viewer sustains
  ViewerTelemetry telemetry_;
};

}  // namespace app
