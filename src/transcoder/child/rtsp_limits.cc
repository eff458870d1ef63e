#include "transcoder/child/rtsp_limits.h"

#include <fmt/format.h>

namespace transcoder {

namespace {

/// Heads have a few hundred bytes, and up to some KB with the tokens of a login.
constexpr std::size_t kMaxHead = 64 << 10;

/// Data that are on their way before an answer, such as that to PLAY: seconds of them.
constexpr int kMaxOthers = 5000;

}  // namespace

void RtspLimits::sent(bool for_media) {
  std::lock_guard lock{mutex_};
  asked_for_media_ = asked_for_media_ || for_media;
}

void RtspLimits::begins() {
  std::lock_guard lock{mutex_};
  head_ = size_ = 0;
}

std::string RtspLimits::read(std::size_t asked, std::size_t got) {
  std::lock_guard lock{mutex_};
  size_ += got;
  if (asked == 1) head_ += got;
  if (head_ > kMaxHead) {
    return fmt::format("the head of an RTSP message is longer than {} KB", kMaxHead >> 10);
  }
  return size_ > kMaxHead + kMaxRtspBody ? rtsp_body_refusal() : "";
}

std::string RtspLimits::arrived(Message what, base::Time now) {
  std::lock_guard lock{mutex_};
  if (what == Message::kAnswer) {
    others_ = 0;
    plays_ = plays_ || asked_for_media_;
    return {};
  }
  if (what == Message::kRequest && !requests_.try_take(now)) {
    return "the RTSP server sends more than one request per second";
  }
  if (!plays_ && ++others_ > kMaxOthers) {
    return fmt::format("the RTSP server has sent {} other messages, but no answer to a request",
                       kMaxOthers);
  }
  return {};
}

std::string rtsp_body_refusal() {
  return fmt::format("a message of RTSP is longer than {} MB", kMaxRtspBody >> 20);
}

}  // namespace transcoder
