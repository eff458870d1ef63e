#include "app/tcp/socket_limits.h"

#include <algorithm>

#include "app/tcp/wire_format.h"
#include "tcpinfo/socket_control.h"

namespace app {

base::BitRate pacing_limit(base::BitRate video, const transcoder::AudioSettings& audio,
                           const TcpSettings& tcp) {
  return tcp.pacing * transport_rate(video, audio);
}

base::ByteCount notsent_limit(base::BitRate video, base::Duration time, const TcpSettings& tcp) {
  return std::max(tcp.notsent_lowat, video * time);
}

const char* apply(const SocketLimits& limits, int fd) {
  if (!tcpinfo::set_notsent_lowat(fd, limits.notsent_lowat)) return "TCP_NOTSENT_LOWAT";
  if (limits.pacing.bps() > 0 && !tcpinfo::set_max_pacing_rate(fd, limits.pacing)) {
    return "SO_MAX_PACING_RATE";
  }
  return nullptr;
}

}  // namespace app
