#pragma once

#include <cstdint>
#include <deque>
#include <memory>

#include "abr/transfer/transfer_rate.h"
#include "app/segments/session.h"
#include "app/tcp/event_dispatch.h"
#include "app/tcp/socket_warnings.h"
#include "server/answer.h"
#include "tcpinfo/polled_events.h"
#include "tcpinfo/socket_hints.h"
#include "tcpinfo/tcp_sampler.h"

namespace app {

/// What is seen on one connection that a segment player loads by, and what the kernel is told of
/// it. Owned by the connection, used on its loop thread.
class SegmentLink final : public server::LinkNote {
 public:
  struct Shared {
    tcpinfo::TcpSampler& sampler;
    EventDispatch& events;
    tcpinfo::EventSource event_source;
    const tcpinfo::SocketHints& hints;
    std::string standard_congestion_control;
    SocketWarnings& warnings;
  };

  /// `id`: among viewers' and links'.
  SegmentLink(Shared shared, ViewerId id, int fd, int loop);
  ~SegmentLink() override;

  /// It carries an answer to that session from now on.
  void carry(std::shared_ptr<SegmentSession> session, const server::Address& address);
  ViewerId id() const { return id_; }
  /// It is about to be sent behind all that was. `live`: its player shows it soon after it was
  /// made.
  void give(const server::Link& link, const segments::Part& part, bool live, base::Time now);

  void on_tick(const server::Link& link, base::Time now) override;

 private:
  struct Given {
    std::uint64_t end = 0;  ///< offset in the connection
    base::Time captured{};
    bool awaited = false;  ///< sent as soon as it was made, to be shown soon
  };
  // A part is given when the one before it was taken by the kernel, whose buffer holds some MiB.
  static constexpr std::size_t kMostGiven = 256;

  void begin(const server::Address& address);
  abr::TransferRate::Sample counted(const tcpinfo::TcpSample& sample) const;
  void pass_over(base::Time now);
  void look(bool lost, base::Time now);
  bool note_polled(const tcpinfo::TcpSample& sample);
  base::Time take_delivered(std::uint64_t acked);
  base::Duration late(base::Time now) const;

  const Shared shared_;
  const ViewerId id_;
  const int fd_;
  const int loop_;
  std::shared_ptr<SegmentSession> session_;
  std::unique_ptr<EventDispatch::Watch> watch_;  ///< null: events are polled
  tcpinfo::PolledEvents polled_;
  abr::TransferRate rate_;
  std::deque<Given> given_;  ///< and not acknowledged
  bool busy_ = false;
  bool bbr_ = false;
};

}  // namespace app
