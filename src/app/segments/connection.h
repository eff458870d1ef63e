#pragma once

#include <cstdint>
#include <deque>
#include <memory>

#include "abr/transfer/transfer_rate.h"
#include "app/segments/session.h"
#include "app/tcp/congestion_events.h"
#include "app/tcp/event_dispatch.h"
#include "app/tcp/socket_warnings.h"
#include "app/telemetry/segment_count.h"
#include "server/streaming_response.h"
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
    std::string standard_congestion_control;
    SocketWarnings& warnings;
  };

  /// The object that SegmentService has attached to `connection`. REQUIRES: it has attached one.
  static SegmentConnection& of(const server::ResponseConnection& connection) {
    return static_cast<SegmentConnection&>(*connection.state);
  }

  /// `id`: unique among the IDs of viewers and connections. `deps` must outlive this object.
  SegmentConnection(const Deps& deps, ViewerId id, int fd, int loop);
  ~SegmentConnection() override;

  /// From now on the connection sends responses of `session`.
  void attach(std::shared_ptr<SegmentSession> session, const server::Address& peer);
  ViewerId id() const { return id_; }
  /// `part` is about to be sent. `live`: the player wants to show it soon after it was made.
  void on_sending(const server::ResponseConnection& connection, const segments::Part& part,
                  bool live, base::Time now);

  void on_tick(const server::ResponseConnection& connection, base::Time now) override;

 private:
  struct SentPart {
    std::uint64_t end = 0;  ///< offset of its end, in bytes sent on the connection
    base::Time captured{};
    bool latency_critical = false;  ///< sent soon after it was made, to be shown soon
  };
  // A part is sent once the kernel has taken the one before it, and the kernel buffers a few MiB.
  // Beyond this number of parts, lateness counts from a newer part than the oldest.
  static constexpr std::size_t kMaxUnackedParts = 256;

  void set_up_socket(const server::Address& peer);
  abr::TransferRate::Sample transfer_sample(const tcpinfo::TcpSample& sample) const;
  void skip_idle(base::Time now);
  void sample(bool lost, base::Time now);
  bool report_polled_events(const tcpinfo::TcpSample& sample);
  base::Time take_delivered(std::uint64_t acked);
  base::Duration late(base::Time now) const;

  const Deps& deps_;
  const ViewerId id_;
  const int fd_;
  const int loop_;
  std::shared_ptr<SegmentSession> session_;
  CongestionEvents events_;
  abr::TransferRate rate_;
  SegmentCount segments_;
  std::deque<SentPart> sent_parts_;  ///< not yet acknowledged, oldest first
  bool busy_ = false;
  bool bbr_ = false;
};

}  // namespace app
