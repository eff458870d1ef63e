#pragma once

#include <cstddef>
#include <memory>

#include "transcoder/child/rtsp_limits.h"

namespace transcoder {

// The connections of this process to RTSP servers, each with its RtspLimits. A server that exceeds
// them ends its source (AccessGate). On any thread. `connection` is a GstRTSPConnection.

/// A new connection, which may have the address of one that is gone.
void limit_rtsp(const void* connection);

/// Before a request is sent on it; see RtspLimits::sent().
void note_rtsp_request(const void* connection, bool for_media);

/// While libgstrtsp reads one message, on this thread.
class RtspReading {
 public:
  explicit RtspReading(const void* connection);
  ~RtspReading();
  RtspReading(const RtspReading&) = delete;
  RtspReading& operator=(const RtspReading&) = delete;

  /// This thread has read from a socket, of whatever kind: asked for `asked` bytes and got `got`.
  static void note(std::size_t asked, std::size_t got);

  /// The message has been read.
  void arrived(RtspLimits::Message what);
  /// Its body is longer than kMaxRtspBody.
  static void is_too_long();

 private:
  const std::shared_ptr<RtspLimits> limits_;
};

}  // namespace transcoder
