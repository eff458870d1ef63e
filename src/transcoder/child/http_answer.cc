#include "transcoder/child/http_answer.h"

#include <fmt/format.h>

namespace transcoder {

namespace {

/// Servers send one or two (RFC 9110, 15.2, sets no limit).
constexpr int kMaxInterims = 50;

/// No server that libsoup takes has a longer head.
constexpr std::size_t kEndlessHead = 60 << 10;

}  // namespace

void HttpAnswer::asked() {
  begun_ = false;
  bytes_ = 0;
  interims_ = 0;
  asked_ = true;
}

void HttpAnswer::received(std::size_t bytes) { bytes_ += bytes; }

void HttpAnswer::begins() { begun_ = true; }

std::string HttpAnswer::interim() {
  if (++interims_ <= kMaxInterims) return {};
  return fmt::format("the HTTP server has sent {} interim answers (1xx), but no answer",
                     kMaxInterims);
}

std::string HttpAnswer::problem() const {
  if (!asked_ && bytes_ == 0) return {};
  if (!asked_) {
    return "no TLS connection can be made with the server at this address; check the scheme "
           "(https), and the server's certificate";
  }
  if (begun_) return "the HTTP server breaks its answer off, or it is not valid";
  if (bytes_ == 0) {
    return "the server at this address closes the connection without an answer; check the address";
  }
  if (bytes_ > kEndlessHead)
    return "the head of the HTTP server's answer is too long or has no end";
  return "the server at this address does not answer in HTTP; check the address and its scheme";
}

}  // namespace transcoder
