#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "abr/control/control_loop.h"
#include "abr/ladder/operating_points.h"
#include "abr/networks/experience.h"
#include "abr/rate_policy.h"
#include "base/units.h"
#include "encoder_model.h"
#include "frame_record.h"
#include "packet.h"
#include "tcp_sender.h"

namespace sim {

/// A stream for one viewer: an encoder, the viewer's queue, and the server's own
/// control loop, which steers both. TCP takes a frame while less than TCP_NOTSENT_LOWAT is unsent
/// (app/tcp/socket_limits). No I/O, no clock: `now` never goes back.
class VideoSession {
 public:
  struct Settings {
    std::function<std::unique_ptr<abr::RatePolicy>()> policy;
    EncoderModel::Settings encoder{};
    Container container = kMpegTs;
    base::Duration frame_interval = std::chrono::nanoseconds{33'333'333};
    base::ByteCount notsent_lowat{16'384};           ///< at least; 40 ms at the target if larger
    base::Duration queue = std::chrono::seconds{1};  ///< a longer queue is dropped
    base::BitRate max_rate = abr::RateLimits{}.max;
    bool steers_window = true;  ///< eBPF is available
    /// As in a group with others, of which this viewer is the slowest: the group's rate follows
    /// them, but a calm viewer is sampled seldom (abr::SampleInterval).
    bool shared_group = false;
    bool watches_rtt = true;  ///< eBPF is available
    unsigned neighbours = 0;  ///< Observation::neighbours
    /// The connection has BBR or CUBIC, and may be changed to the other one and back.
    bool chooses_congestion_control = false;
  };

  /// `send`: lets TCP send all it may.
  VideoSession(const Settings& settings, TcpSender& tcp, base::Time start, std::uint64_t seed,
               std::function<void(base::Time)> send);

  base::Time next_time() const;
  void on_time(base::Time now);
  /// Called after TCP has processed ACKs or events.
  void on_tcp(base::Time now);
  /// The viewer has everything below `offset`.
  void on_arrival(Offset offset, base::Time now);

  const std::vector<FrameRecord>& frames() const { return frames_; }
  /// The audio of each frame interval, at whose end it was captured.
  const std::vector<FrameRecord>& audio() const { return audio_log_; }
  const abr::PathState& path() const { return control_.path(); }
  /// Of the seconds with that congestion control.
  const abr::Experience::Sum& experienced(abr::CongestionControl control) const {
    return experienced_[static_cast<std::size_t>(control)];
  }
  base::ByteCount padding() const { return padding_sent_; }  ///< written so far
  base::ByteCount written() const { return size_of(Range{0, tcp_.state().written}); }
  /// Called with each decision, when set.
  std::function<void(base::Time, const abr::Observation&, const abr::Decision&)> on_decision;

 private:
  /// A part of audio_log_.
  struct Audio {
    std::size_t begin = 0;
    std::size_t end = 0;
    base::ByteCount size{};  ///< on the wire
  };
  /// A frame and the audio before it, or audio alone.
  struct Frame {
    std::optional<std::size_t> index;  ///< in frames_; nullopt: audio alone
    base::Time captured;
    base::Time ready;
    base::ByteCount size;   ///< on the wire, without the audio
    bool recovers = false;  ///< does not reference dropped frames
    Audio audio;

    bool has_video() const { return index.has_value(); }
  };
  /// A frame and its audio, or audio alone, that TCP has taken.
  struct Written {
    std::optional<std::size_t> index;  ///< in frames_
    Audio audio;
    base::Time departed;
    Offset head_end;
    Offset end;
    base::ByteCount head;
    base::ByteCount size;
    base::ByteCount padding;  ///< part of `size`
    bool marked;              ///< TCP reports when it is acknowledged
    std::optional<base::Time> head_acked{};
  };

  void capture(base::Time now);
  void capture_audio(base::Time now);
  Audio take_audio();
  void offer(Frame frame, base::Time now);
  void push(const Frame& item);
  bool takes_more() const;
  void write(base::Time now);
  void write(const Frame& frame, base::Time now);
  base::Duration queued_media() const;
  bool has_frame() const;
  void drop_queue();
  void discard_frames();
  void note_acknowledged(base::Time now);
  base::Duration interval() const;
  void schedule_sample(base::Time now);
  void decide(base::Time now);
  void carry_out(const abr::Actions& actions, base::Time now);
  abr::Observation observe() const;
  void note_experience(const abr::Observation& observation, base::Time now);

  const Settings settings_;
  TcpSender& tcp_;
  abr::ControlLoop control_;
  EncoderModel encoder_;
  const std::function<void(base::Time)> send_;
  base::BitRate rate_;  ///< the encoder's target
  std::vector<FrameRecord> frames_;
  std::vector<FrameRecord> audio_log_;
  abr::AudioRungs audio_rungs_{{kAudioRates.begin(), kAudioRates.end()}};
  abr::OperatingPoints points_{abr::PointSettings{}};
  unsigned every_ = 1;  ///< every n-th frame is encoded
  Audio waiting_;       ///< for the next frame
  base::Time next_capture_;
  std::optional<base::Time> sample_at_;
  base::Time captured_{};       ///< when the newest encoded frame was captured
  std::deque<Frame> encoding_;  ///< until they are ready
  std::deque<Frame> queue_;
  base::ByteCount queued_;
  bool recover_next_ = false;    ///< the next frame is to be a recovery frame
  bool frames_missing_ = false;  ///< frames were dropped: later ones wait for a recovery frame
  base::Time paused_until_{};    ///< no frame is encoded before
  base::ByteCount padding_;      ///< lengthens the next frame written
  base::ByteCount padding_sent_;
  std::deque<Written> unacked_;
  std::deque<Written> travelling_;  ///< not arrived yet
  std::vector<abr::DeliveredFrame> delivered_;
  // TCP's events that the policy has seen.
  unsigned rexmt_ = 0;
  unsigned dupack_ = 0;
  base::Duration rtt_limit_{};    ///< that the kernel watches, if not 0
  base::Time newest_captured_{};  ///< of the acknowledged frames; zero if there are none
  abr::Experience experience_;
  std::array<abr::Experience::Sum, abr::kCongestionControlCount> experienced_{};
};

}  // namespace sim
