#pragma once

#include <string>

#include "app/config/config.h"
#include "app/tcp/socket_limits.h"
#include "app/tcp/socket_warnings.h"
#include "base/units.h"
#include "tcpinfo/socket_hints.h"
#include "tcpinfo/tcp_sample.h"
#include "transcoder/settings.h"

namespace app {

/// By the first rule of [[tcp.network]] that has one, the stream's own, or `standard`.
std::string congestion_control_for(const server::Address& address, const TcpSettings& tcp,
                                   const std::string& standard);

/// Tells the kernel about one viewer's socket: congestion control and hints at the start; later
/// pacing and unsent limit by the rate that is sent, and the path's capacity as it is measured.
/// Belongs to the viewer, used on its loop thread.
class SocketSteering {
 public:
  /// What became of the hint of where slow start may end (VideoRateSsthresh).
  enum class SsthreshHint {
    kSet,      ///< the kernel shows it
    kPaced,    ///< it cannot be set here: the pace is limited in its place, until a loss or 5 s
    kRefused,  ///< nor that
    kNone,     ///< not asked for, or the congestion control has no use for it
  };
  static constexpr std::size_t kSsthreshHints = 4;

  /// `hints` and `warnings` outlive it.
  SocketSteering(const tcpinfo::SocketHints& hints, SocketWarnings& warnings, TcpSettings tcp,
                 const transcoder::AudioSettings& audio, std::string congestion_control)
      : hints_{hints},
        warnings_{warnings},
        tcp_{std::move(tcp)},
        audio_{audio},
        congestion_control_{std::move(congestion_control)} {}

  /// Before the first media byte. `video`: what is going to be sent first. The result says what is
  /// in force, as the kernel shows it.
  tcpinfo::AppliedHints begin(int fd, base::BitRate video, base::Time now);
  SsthreshHint ssthresh_hint() const { return ssthresh_hint_; }

  /// TCP keeps to TcpSample::pacing: for good, once it was given a limit.
  bool paces() const { return bbr_ || limited_ || pace_told_.bps() > 0; }
  bool bbr() const { return bbr_; }

  /// `video`: of the newest frame; zero before the first. A pace falls one to two seconds later:
  /// what waits was made at a higher rate.
  void follow_rate(int fd, base::BitRate video, base::Time now);
  /// `age`: of the session.
  void on_sample(int fd, const tcpinfo::TcpSample& sample, base::Duration age);
  /// What the policy wants of TCP: a pace (zero: none) and a window in segments (zero: as it is).
  void follow_decision(int fd, base::BitRate pacing, std::uint32_t window);
  /// Of the path; zero: not known. For congestion controls of ours that make use of it.
  void follow_capacity(int fd, base::BitRate capacity);

 private:
  void note_rate(base::BitRate video, base::Time now);
  void limit(int fd, base::BitRate video);
  void pace_refused();

  const tcpinfo::SocketHints& hints_;
  SocketWarnings& warnings_;
  const TcpSettings tcp_;
  const transcoder::AudioSettings audio_;
  const std::string congestion_control_;  ///< empty: the kernel's default
  SsthreshHint ssthresh_hint_ = SsthreshHint::kNone;
  bool paces_start_ = false;  ///< in place of ssthresh
  bool limited_ = false;      ///< its pace was, once
  bool bbr_ = false;          ///< tcpinfo::is_bbr
  bool wants_capacity_ = false;
  base::BitRate limited_for_;
  base::BitRate paced_for_;
  base::BitRate highest_before_;  ///< rate of video in the second before `second_`
  base::BitRate highest_;         ///< from then on
  base::Time second_{};
  base::BitRate capacity_told_;
  base::BitRate pace_told_;
};

}  // namespace app
