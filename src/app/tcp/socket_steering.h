#pragma once

#include <string>
#include <utility>

#include "abr/congestion_control.h"
#include "app/config/config.h"
#include "app/tcp/rto_max.h"
#include "app/tcp/socket_limits.h"
#include "app/tcp/socket_warnings.h"
#include "app/tcp/wire_format.h"
#include "base/units.h"
#include "tcpinfo/socket_hints.h"
#include "tcpinfo/tcp_sample.h"
#include "transcoder/settings.h"

namespace app {

/// Sets the TCP options of one viewer's socket: congestion control and hints at the start, later
/// the pacing limit and the unsent limit that fit the rate sent, and the measured capacity of the
/// path. Refused options are passed to SocketWarnings. Belongs to the viewer, used on its loop
/// thread.
class SocketSteering {
 public:
  /// The outcome of the ssthresh hint, which says where slow start may end (VideoRateSsthresh).
  enum class SsthreshHint {
    kSet,      ///< ssthresh is set, as read back from the kernel
    kPaced,    ///< ssthresh cannot be set here; pacing is limited instead, until a loss or for 5 s
    kRefused,  ///< neither ssthresh nor pacing could be set
    kNone,     ///< not configured, or the congestion control does not use ssthresh
  };
  static constexpr std::size_t kSsthreshHintCount = 4;  ///< number of values of SsthreshHint

  /// `hints` and `warnings` must outlive this object. An empty `congestion_control` is the kernel's
  /// default.
  SocketSteering(const tcpinfo::SocketHints& hints, SocketWarnings& warnings, TcpSettings tcp,
                 const transcoder::AudioSettings& audio, std::string congestion_control)
      : hints_{hints},
        warnings_{warnings},
        tcp_{std::move(tcp)},
        audio_{audio},
        congestion_control_{std::move(congestion_control)} {}

  /// Call before the first media byte. `video`: the rate of the first frames. `burst`: the longest
  /// time at that rate that one frame may take (EncoderSettings::vbv). Returns the options in
  /// force, read back from the kernel.
  tcpinfo::AppliedHints begin(int fd, base::BitRate video, base::Duration burst, base::Time now);
  SsthreshHint ssthresh_hint() const { return ssthresh_hint_; }

  /// Whether TCP sends no faster than TcpSample::pacing. Stays true once a limit has been set, or
  /// after BBR.
  bool paces() const { return bbr_ || pacing_limited_; }
  bool bbr() const { return bbr_; }

  /// `video`: rate of the newest frame; zero before the first. When it falls, the pacing limit
  /// follows one to two seconds later, because queued data was encoded at the higher rate.
  void follow_rate(int fd, base::BitRate video, base::Time now);
  /// `calm` (abr::SampleInterval): one write may have several frames, or a keyframe, and is to fit
  /// below the unsent limit.
  void follow_calm(int fd, bool calm);
  /// Raises the maximum of the retransmission timer on a long path. Ends the pacing that stands in
  /// for ssthresh, if due. `age`: time since the viewer connected.
  void on_sample(int fd, const tcpinfo::TcpSample& sample, base::Duration age);
  /// Sets the pacing rate (zero: no limit) and the congestion window (segments; zero leaves it)
  /// that the control loop asks for. The pacing rate is ignored if the configuration sets one, and
  /// while pacing stands in for ssthresh.
  void follow_decision(int fd, base::BitRate pacing, std::uint32_t window);
  /// Changes the congestion control. Returns whether the kernel has taken it.
  bool change(int fd, abr::CongestionControl wanted);
  /// Passes the path's capacity (zero if unknown) to a congestion control of ours that uses it.
  void follow_capacity(int fd, base::BitRate capacity);

 private:
  void note_rate(base::BitRate video, base::Time now);
  void limit(int fd, base::BitRate video);
  void warn_pacing_refused();

  const tcpinfo::SocketHints& hints_;
  SocketWarnings& warnings_;
  const TcpSettings tcp_;
  const transcoder::AudioSettings audio_;
  const std::string congestion_control_;  ///< empty for the kernel's default
  SsthreshHint ssthresh_hint_ = SsthreshHint::kNone;
  RtoMax rto_max_;
  bool paces_start_ = false;     ///< pacing stands in for ssthresh
  bool pacing_limited_ = false;  ///< a pacing limit has been set, or BBR was left
  bool bbr_ = false;             ///< tcpinfo::is_bbr
  bool wants_capacity_ = false;  ///< tcpinfo::uses_capacity
  bool calm_ = false;
  base::BitRate limited_for_;     ///< video rate of the unsent limit in force
  base::BitRate paced_for_;       ///< video rate of the pacing limit in force
  base::BitRate highest_;         ///< video rate in the current window, since `window_began_`
  base::BitRate highest_before_;  ///< video rate in the window before
  base::Time window_began_{};
  base::BitRate last_capacity_;  ///< that was passed on
  base::BitRate last_pacing_;    ///< that a decision set; zero if there is no limit
};

}  // namespace app
