#include "server/response.h"

#include <fmt/format.h>

#include <utility>

namespace server {

void OutgoingResponse::begin(std::unique_ptr<StreamingResponse> answer, Framing framing,
                             MakeHead make_head) {
  answer_ = std::move(answer);
  framing_ = framing;
  make_head_ = std::move(make_head);
}

bool OutgoingResponse::pull(ResponseConnection& connection, base::Time now) {
  while (output_.empty() && answer_) {
    auto step = answer_->next(connection, now);
    const bool nothing = !step.head && step.body.empty() && !step.complete;
    if (nothing) return false;
    add(std::move(step));
  }
  return !output_.empty();
}

void OutgoingResponse::add(StreamingResponse::Chunk step) {
  if (step.head) {
    chunked_ = !step.head->length && !framing_.http_1_0;
    output_.push(SharedBytes::of(make_head_(*step.head)));
    if (framing_.head_only) return answer_.reset();
  }
  std::size_t size = 0;
  for (const auto& bytes : step.body) size += bytes.bytes.size();
  const bool chunk = chunked_ && size > 0;
  if (chunk) output_.push(SharedBytes::of(fmt::format("{:x}\r\n", size)));
  for (auto& bytes : step.body) output_.push(std::move(bytes));
  if (chunk) output_.push(SharedBytes::of("\r\n"));
  if (!step.complete) return;
  if (chunked_) output_.push(SharedBytes::of("0\r\n\r\n"));
  answer_.reset();
}

}  // namespace server
