#include "server/response.h"

#include <fmt/format.h>

#include <utility>

namespace server {

void OutgoingResponse::begin(std::string head, SharedBytes body) {
  finish_by_ = base::Time::max();
  output_.push(SharedBytes::of(std::move(head)));
  output_.push(std::move(body));
}

void OutgoingResponse::begin(std::unique_ptr<StreamingResponse> streaming, Framing framing,
                             MakeHead make_head) {
  finish_by_ = base::Time::max();
  streaming_ = std::move(streaming);
  framing_ = framing;
  make_head_ = std::move(make_head);
}

bool OutgoingResponse::pull(ResponseConnection& connection, base::Time now) {
  while (output_.empty() && streaming_) {
    auto chunk = streaming_->next(connection, now);
    const bool nothing = !chunk.head && chunk.body.empty() && !chunk.complete;
    if (nothing) return false;
    add(std::move(chunk), now);
  }
  return !output_.empty();
}

void OutgoingResponse::add(StreamingResponse::Chunk chunk, base::Time now) {
  if (chunk.head) {
    if (chunk.head->finish_within) finish_by_ = now + *chunk.head->finish_within;
    chunked_ = !chunk.head->length && !framing_.http_1_0;
    output_.push(SharedBytes::of(make_head_(*chunk.head)));
    if (framing_.head_only) return streaming_.reset();
  }
  std::size_t size = 0;
  for (const auto& bytes : chunk.body) size += bytes.bytes.size();
  const bool framed = chunked_ && size > 0;
  if (framed) output_.push(SharedBytes::of(fmt::format("{:x}\r\n", size)));
  for (auto& bytes : chunk.body) output_.push(std::move(bytes));
  if (framed) output_.push(SharedBytes::of("\r\n"));
  if (!chunk.complete) return;
  if (chunked_) output_.push(SharedBytes::of("0\r\n\r\n"));
  streaming_.reset();
}

}  // namespace server
