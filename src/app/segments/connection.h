#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "abr/transfer/bbr_restart.h"
#include "abr/transfer/transfer_rate.h"
#include "app/segments/sent_parts.h"
#include "app/segments/session.h"
#include "app/tcp/congestion_events.h"
#include "app/tcp/event_dispatch.h"
#include "app/tcp/known_networks.h"
#include "app/tcp/rto_max.h"
#include "app/tcp/socket_warnings.h"
#include "app/tcp/start_control.h"
#include "app/telemetry/connection_table.h"
#include "app/telemetry/segment_count.h"
#include "server/streaming_response.h"
#include "tcpinfo/sample_series.h"
#include "tcpinfo/socket_hints.h"
#include "tcpinfo/tcp_sampler.h"

namespace app {

/// Measures one connection of a segment player, and sets its socket options. Owned by the
/// connection, used on its loop thread.
class SegmentConnection final : public server::ConnectionState {
 public:
  struct Deps {
    tcpinfo::TcpSampler& sampler;
    EventDispatch& events;
    tcpinfo::EventSource event_source;
    const tcpinfo::SocketHints& hints;
    StandardControls standard_controls;
    const KnownNetworks& networks;
    SocketWarnings& warnings;
    ConnectionTable& connections;
  };

  /// The object that SegmentService has attached to `connection`. REQUIRES: it has attached one.
  static SegmentConnection& of(const server::ResponseConnection& connection) {
    return static_cast<SegmentConnection&>(*connection.state);
  }

  /// `id`: unique among the IDs of viewers and connections. `deps` must outlive this object.
  SegmentConnection(const Deps& deps, ViewerId id, int fd, int loop);
  ~SegmentConnection() override;

  /// A request of `session` has come. From now on the connection sends responses of this session.
  /// `hold`: of the response, kept until the client has acknowledged its media.
  void on_request(std::shared_ptr<SegmentSession> session, const SegmentSession::ResponseHold& hold,
                  const server::Address& peer, base::Time now);
  /// The response has been acknowledged, or the next request has come.
  void end_response() { hold_.reset(); }
  ViewerId id() const { return id_; }
  const std::shared_ptr<SegmentSession>& session() const { return session_; }
  /// `part` is about to be sent. `live`: the player wants to show it soon after it was made.
  void on_sending(const server::ResponseConnection& connection, const segments::Part& part,
                  bool live, base::Time now);

  bool on_tick(const server::ResponseConnection& connection, base::Time now) override;

 private:
  /// The video that the present response has sent.
  struct Load {
    base::Duration media{};
    base::Duration repaired{};  ///< TransferRate::repaired() when it began
  };

  void attach(std::shared_ptr<SegmentSession> session, const server::Address& peer);
  void detach(base::Time now);
  void set_up_socket(const server::Address& peer);
  abr::TransferRate::Sample transfer_sample(const tcpinfo::TcpSample& sample) const;
  std::optional<tcpinfo::TcpSample> take_sample(base::Time now);
  void skip_idle(base::Time now);
  void sample(bool lost, base::Time now);
  void end_load();
  void restart_bbr(const tcpinfo::TcpSample& sample);
  bool report_polled_events(const tcpinfo::TcpSample& sample);
  base::Time take_delivered(const tcpinfo::TcpSample& sample);
  base::Duration earn_place(const tcpinfo::TcpSample& sample);

  const Deps& deps_;
  const ViewerId id_;
  const int fd_;
  std::shared_ptr<SegmentSession> session_;
  tcpinfo::SampleSeries series_;
  CongestionEvents events_;
  RtoMax rto_max_;
  abr::TransferRate rate_;
  abr::BbrRestart bbr_restart_;
  SegmentCount segments_;
  SentParts sent_parts_;
  Load load_;
  base::ByteCount transfer_;            ///< sent since all data was acknowledged
  base::Duration min_rtt_{};            ///< of the last sample
  std::uint64_t acked_ = 0;             ///< TcpSample::bytes_acked that the session's place knows
  std::weak_ptr<const void> response_;  ///< the hold of the present one
  SegmentSession::ResponseHold hold_;   ///< null if none of its media is on the way
  base::Time sampled_{};                ///< time of the last sample
  bool busy_ = false;
  bool bbr_ = false;
};

}  // namespace app
