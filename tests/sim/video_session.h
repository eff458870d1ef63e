#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "abr/control/control_loop.h"
#include "abr/rate_policy.h"
#include "base/units.h"
#include "encoder_model.h"
#include "packet.h"
#include "shown.h"
#include "tcp_sender.h"

namespace sim {

/// A stream for one viewer in a private group: an encoder, the viewer's queue, and the server's own
/// control loop, which steers both. TCP takes a frame while less than TCP_NOTSENT_LOWAT is unsent
/// (app/tcp/socket_limits). No I/O, no clock: `now` never goes back.
class VideoSession {
 public:
  struct Settings {
    std::function<std::unique_ptr<abr::RatePolicy>()> policy;
    EncoderModel::Settings encoder{};
    base::Duration frame_interval = std::chrono::nanoseconds{33'333'333};
    base::ByteCount notsent_lowat{16'384};  ///< least; 40 ms at the target when that is larger
    base::Duration queue = std::chrono::seconds{1};  ///< longer, it is dropped
    bool steers_window = true;                       ///< eBPF is there
  };

  /// `send`: TCP sends what it may.
  VideoSession(const Settings& settings, TcpSender& tcp, base::Time start, std::uint64_t seed,
               std::function<void(base::Time)> send);

  base::Time next_time() const;
  void on_time(base::Time now);
  /// After TCP has taken in acknowledgements or events.
  void on_tcp(base::Time now);
  /// The viewer has everything below `offset`.
  void on_arrival(Offset offset, base::Time now);

  const std::vector<Shown>& shown() const { return shown_; }
  const abr::PathState& path() const { return control_.path(); }
  base::ByteCount padding() const { return padding_sent_; }  ///< that has been written
  base::ByteCount written() const { return size_of(Range{0, tcp_.state().written}); }
  /// Called with each decision, when set.
  std::function<void(base::Time, const abr::Observation&, const abr::Decision&)> on_decision;

 private:
  struct Frame {
    std::size_t index;  ///< in shown_
    base::Time captured;
    base::Time ready;
    base::ByteCount size;   ///< on the wire
    bool recovers = false;  ///< does not refer to the frames that were dropped
  };
  /// A frame in TCP's hands.
  struct Written {
    std::size_t index;  ///< in shown_
    base::Time departed;
    Offset head_end;
    Offset end;
    base::ByteCount head;
    base::ByteCount size;
    base::ByteCount padding;  ///< of it
    std::optional<base::Time> head_acked{};
  };

  void capture(base::Time now);
  void offer(const Frame& frame, base::Time now);
  bool takes_more() const;
  void write(base::Time now);
  void write(const Frame& frame, base::Time now);
  void drop_queue();
  void note_acknowledged(base::Time now);
  void schedule_sample(base::Time now);
  void decide(base::Time now);
  void carry_out(const abr::Actions& actions);
  abr::Observation observe() const;

  const Settings settings_;
  TcpSender& tcp_;
  abr::ControlLoop control_;
  EncoderModel encoder_;
  const std::function<void(base::Time)> send_;
  base::BitRate rate_;  ///< the encoder's target
  std::vector<Shown> shown_;
  base::Time next_capture_;
  std::optional<base::Time> sample_at_;
  base::Time captured_{};       ///< of the newest frame that was encoded
  std::deque<Frame> encoding_;  ///< until their time has come
  std::deque<Frame> queue_;
  base::ByteCount queued_;
  bool recover_next_ = false;    ///< the next frame does not refer to those that were dropped
  bool frames_missing_ = false;  ///< frames were dropped: none is queued before one that recovers
  unsigned skip_next_ = 0;       ///< frames not to be encoded
  base::ByteCount padding_;      ///< that lengthens the next frame written
  base::ByteCount padding_sent_;
  std::deque<Written> unacked_;
  std::deque<Written> travelling_;  ///< not arrived
  std::vector<abr::DeliveredFrame> delivered_;
  unsigned rexmt_ = 0;   ///< of TCP's, told to the policy
  unsigned dupack_ = 0;  ///< likewise
};

}  // namespace sim
