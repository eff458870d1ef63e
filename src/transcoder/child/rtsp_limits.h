#pragma once

#include <cstddef>
#include <mutex>
#include <string>

#include "base/units.h"
#include "transcoder/access/token_bucket.h"

namespace transcoder {

/// Bounds what an RTSP server sends on one connection besides media. libgstrtsp reads a head byte
/// by byte, each with a call of the kernel, and waits for an answer as long as anything comes.
/// Thread-safe. No I/O, no clock.
class RtspLimits {
 public:
  enum class Message { kAnswer, kRequest, kData };

  /// We have sent a request. After the answer to the first one for media (PLAY), data may come
  /// without end.
  void sent(bool for_media);
  /// The next read is of another message.
  void begins();

  // These return why the source has to end, for its operator; an empty text if it need not.

  /// One read of a message asked for `asked` bytes and got `got`.
  std::string read(std::size_t asked, std::size_t got);
  /// The message has been read.
  std::string arrived(Message what, base::Time now);

 private:
  std::mutex mutex_;
  std::size_t head_ = 0;          // GUARDED_BY(mutex_); bytes of this message
  std::size_t size_ = 0;          // GUARDED_BY(mutex_); the same, with its body
  int others_ = 0;                // GUARDED_BY(mutex_); messages since an answer
  bool asked_for_media_ = false;  // GUARDED_BY(mutex_)
  bool plays_ = false;            // GUARDED_BY(mutex_)
  access::TokenBucket requests_{50, std::chrono::seconds{1}};  // GUARDED_BY(mutex_)
};

/// Of an RTSP message, for which libgstrtsp takes memory at its head's word. Descriptions of
/// cameras have a few KB.
inline constexpr std::size_t kMaxRtspBody = 1 << 20;

/// Why a longer one ends its source.
std::string rtsp_body_refusal();

}  // namespace transcoder
