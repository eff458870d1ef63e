#pragma once

#include <cstdint>
#include <deque>
#include <memory>

#include "abr/transfer/transfer_rate.h"
#include "app/segments/session.h"
#include "app/tcp/event_dispatch.h"
#include "app/tcp/socket_warnings.h"
#include "server/streaming_response.h"
#include "tcpinfo/polled_events.h"
#include "tcpinfo/socket_hints.h"
#include "tcpinfo/tcp_sampler.h"

namespace app {

/// What is seen on one connection that a segment player loads by, and what the kernel is told of
/// it. Owned by the connection, used on its loop thread.
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

  /// `id`: among viewers' and connections'.
  SegmentConnection(Deps deps, ViewerId id, int fd, int loop);
  ~SegmentConnection() override;

  /// It carries an answer to that session from now on.
  void attach(std::shared_ptr<SegmentSession> session, const server::Address& address);
  ViewerId id() const { return id_; }
  /// It is about to be sent behind all that was. `live`: its player shows it soon after it was
  /// made.
  void sent(const server::ResponseConnection& connection, const segments::Part& part, bool live,
            base::Time now);

  void on_tick(const server::ResponseConnection& connection, base::Time now) override;

 private:
  struct SentPart {
    std::uint64_t end = 0;  ///< offset in the connection
    base::Time captured{};
    bool latency_critical = false;  ///< sent as soon as it was made, to be shown soon
  };
  // A part is given when the one before it was taken by the kernel, whose buffer holds some MiB.
  static constexpr std::size_t kMaxSentParts = 256;

  void begin(const server::Address& address);
  abr::TransferRate::Sample counted(const tcpinfo::TcpSample& sample) const;
  void skip_idle(base::Time now);
  void sample(bool lost, base::Time now);
  bool note_polled(const tcpinfo::TcpSample& sample);
  base::Time take_delivered(std::uint64_t acked);
  base::Duration late(base::Time now) const;

  const Deps deps_;
  const ViewerId id_;
  const int fd_;
  const int loop_;
  std::shared_ptr<SegmentSession> session_;
  std::unique_ptr<EventDispatch::Watch> watch_;  ///< null: events are polled
  tcpinfo::PolledEvents polled_;
  abr::TransferRate rate_;
  std::deque<SentPart> sent_parts_;  ///< and not acknowledged
  bool busy_ = false;
  bool bbr_ = false;
};

}  // namespace app
