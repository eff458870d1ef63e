#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

#include "server/event_loop.h"
#include "server/group_channel.h"
#include "server/handler.h"
#include "server/loop_context.h"
#include "server/slots.h"
#include "server/viewer.h"
#include "server/viewer_socket.h"

namespace server {

/// Ties one Viewer to its channels, its socket and its observer. Owned by its connection, used on
/// its loop thread. After `ended` has been called it does nothing more.
class ViewerSession final : public ChannelMember {
 public:
  struct Start {
    Slots::Slot slot;
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

  /// Completes what has begun, ends the response, then leaves; kFinishTimeout at most.
  void finish(LeaveReason reason, base::Time now);
  void leave(LeaveReason reason, base::Time now);  ///< at once

  void on_packet(GroupChannel& channel, const QueuedPacket& item, base::Time now) override;
  void on_audio_due(base::Time now) override;
  void on_channel_closed(GroupChannel& channel, base::Time now) override;

  /// How long a response may take to end. The whole server stops within a second.
  static constexpr base::Duration kFinishTimeout = std::chrono::milliseconds{700};

 private:
  void enter(media::ChannelId channel, base::Time now);
  void leave_channels();
  void follow_switch();
  void pump(bool audio_due, base::Time now);
  void count_drops();
  void check_stall(base::Time now);
  void on_sample_due(base::Time now);
  void ask_again(std::optional<base::Time> at);
  const ViewerState& state() { return viewer_.state(); }
  ViewerTick tick(base::Time now);

  LoopContext& context_;
  ViewerSocket& socket_;
  Slots::Slot slot_;
  Viewer viewer_;
  std::unique_ptr<ViewerObserver> observer_;
  EventLoop::RulePtr due_;  ///< null: it has never asked
  const media::ChannelId first_channel_;
  const Ended ended_;
  GroupChannel* current_ = nullptr;  ///< null: closed
  GroupChannel* next_ = nullptr;     ///< while changing to it
  bool over_ = false;
  bool full_ = false;   ///< the socket takes no more until it is writable
  base::Time wrote_{};  ///< when the socket last took something
  std::optional<LeaveReason> finishing_;
  base::Time finish_by_{};
  base::Time acked_since_{};  ///< when `acked_` last grew, or the socket took more
  std::uint64_t acked_ = 0;
  std::uint64_t frames_counted_ = 0;  ///< of frames_dropped, in the loop's counters already
  std::uint64_t audio_counted_ = 0;
  std::uint64_t gops_counted_ = 0;
  std::uint64_t discards_counted_ = 0;
  std::uint64_t padding_counted_ = 0;
  std::uint64_t forgotten_counted_ = 0;
};

}  // namespace server
