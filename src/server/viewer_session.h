#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "server/event_loop.h"
#include "server/group_channel.h"
#include "server/handler.h"
#include "server/loop_context.h"
#include "server/places.h"
#include "server/viewer.h"
#include "server/viewer_socket.h"

namespace server {

/// Connects one Viewer with its channels, its socket and its observer. Owned by its connection,
/// used on its loop thread. Does nothing after it has called `ended`.
class ViewerSession final : public ChannelMember {
 public:
  struct Start {
    Places::Place place;
    ViewerState state;
    ResponseWriter writer;
    Admission admission;
  };
  /// `complete`: the socket has taken the whole response.
  using Ended = std::function<void(LeaveReason, bool complete)>;

  ViewerSession(LoopContext& context, ViewerSocket& socket, Start start, Ended ended);
  ~ViewerSession() override;

  void join(base::Time now);
  void on_writable(base::Time now);
  void on_error_queue(base::Time now);
  void move(media::ChannelId channel, media::Pts at, base::Time now);
  void check_times(base::Time now);  ///< a few times per second

  /// Completes the present batch, ends the response, then leaves, after kFinishTimeout at the
  /// latest.
  void finish(LeaveReason reason, base::Time now);
  void leave(LeaveReason reason, base::Time now);  ///< leaves at once

  bool on_packets(GroupChannel& channel, std::span<const QueuedPacket> items,
                  base::Time now) override;
  void on_channel_closed(GroupChannel& channel, base::Time now) override;
  void prefetch() const override;

  /// How long a response may take to end. Must leave the server time to stop within a second.
  static constexpr base::Duration kFinishTimeout = std::chrono::milliseconds{700};

 private:
  void enter(media::ChannelId channel, base::Time now);
  void leave_channels();
  void follow_switch();
  bool may_wait() const;
  void pump(bool audio_due, base::Time now);
  void count_drops();
  void check_stall(base::Time now);
  void earn_place(base::Time now);
  std::uint64_t acknowledged() const;
  void on_sample_due(base::Time now);
  void schedule_sample(std::optional<base::Time> at);
  const ViewerState& state() { return viewer_.state(); }
  ViewerTick tick(base::Time now);

  LoopContext& context_;
  ViewerSocket& socket_;
  Places::Place place_;
  Viewer viewer_;
  std::unique_ptr<ViewerObserver> observer_;
  EventLoop::RulePtr sample_timer_;  ///< null until the observer first asks for a call
  const media::ChannelId first_channel_;
  const Ended ended_;
  GroupChannel* current_ = nullptr;  ///< null once it is closed
  GroupChannel* next_ = nullptr;     ///< the channel the viewer changes to, or null
  bool over_ = false;
  bool full_ = false;   ///< the socket takes no more until it is writable
  base::Time wrote_{};  ///< when the socket last took data
  std::optional<LeaveReason> finishing_;
  base::Time finish_by_{};
  base::Time acked_since_{};  ///< when `acked_` last grew, or the socket was not full
  std::uint64_t acked_ = 0;   ///< bytes acknowledged when last checked
  std::uint64_t taken_ = 0;   ///< of these, the place knows
  // The parts of the viewer's totals that the loop's counters already include.
  std::uint64_t frames_counted_ = 0;
  std::uint64_t audio_counted_ = 0;
  std::uint64_t gops_counted_ = 0;
  std::uint64_t discards_counted_ = 0;
  std::uint64_t padding_counted_ = 0;
  std::uint64_t forgotten_counted_ = 0;
};

}  // namespace server
