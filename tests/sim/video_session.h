#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "abr/path/path_model.h"
#include "abr/rate_policy.h"
#include "base/units.h"
#include "encoder_model.h"
#include "packet.h"
#include "shown.h"
#include "tcp_sender.h"

namespace sim {

/// A stream for one viewer, alone in his group: an encoder, the viewer's queue, and the policy that
/// steers both by what TCP tells, as app/viewer/viewer_control does. TCP takes a frame while less
/// than TCP_NOTSENT_LOWAT waits unsent (app/tcp/socket_limits). Pure: `now` never goes back.
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
  const abr::PathState& path() const { return path_.state(); }
  base::ByteCount padding() const { return padding_sent_; }  ///< that has been written
  base::ByteCount written() const { return size_of(Range{0, tcp_.state().written}); }
  /// Called with each decision, when set.
  std::function<void(base::Time, const abr::Observation&, const abr::Decision&)> on_decision;

 private:
  struct Frame {
    std::size_t index;  ///< in shown_
    base::Time captured;
    base::Time ready;
    base::ByteCount size;  ///< on the wire
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
  bool takes_more() const;
  void write(base::Time now);
  void write(const Frame& frame, base::Time now);
  void drop_queue();
  void note_acknowledged(base::Time now);
  void decide(base::Time now);
  abr::Observation observe() const;

  const Settings settings_;
  TcpSender& tcp_;
  abr::PathModel path_;
  const std::unique_ptr<abr::RatePolicy> policy_;
  EncoderModel encoder_;
  const std::function<void(base::Time)> send_;
  abr::Decision decision_;
  std::vector<Shown> shown_;
  base::Time next_capture_;
  base::Time sample_at_;        ///< before it
  std::deque<Frame> encoding_;  ///< until their time has come
  std::deque<Frame> queue_;
  base::ByteCount queued_;
  bool broken_ = false;  ///< frames were dropped: the next one recovers from it
  unsigned skipped_ = 0;
  base::ByteCount padding_;  ///< that lengthens the next frame written
  base::ByteCount padding_sent_;
  std::deque<Written> unacked_;
  std::deque<Written> travelling_;  ///< not arrived
  std::vector<abr::Delivered> delivered_;
  unsigned rexmt_ = 0;   ///< of TCP's, told to the policy
  unsigned dupack_ = 0;  ///< likewise
};

}  // namespace sim
