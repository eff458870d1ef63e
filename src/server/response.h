#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/units.h"
#include "server/output_queue.h"
#include "server/streaming_response.h"

namespace server {

/// A response that ends: a page, or an answer in the making → the bytes of HTTP. Without I/O; used
/// on its connection's loop thread.
class OutgoingResponse {
 public:
  struct Framing {
    bool head_only = false;  ///< HEAD
    bool http_1_0 = false;   ///< no chunks: what has no length ends with the connection
  };
  /// The text of a head.
  using MakeHead = std::function<std::string(const ResponseHead&)>;

  /// REQUIRES: done().
  void begin(std::string whole) { output_.push(SharedBytes::of(std::move(whole))); }
  void begin(std::unique_ptr<StreamingResponse> answer, Framing framing, MakeHead make_head);

  /// Asks the answer for more where there is nothing to write. False when there still is not.
  bool pull(ResponseConnection& connection, base::Time now);
  OutputQueue& output() { return output_; }
  bool done() const { return output_.empty() && !answer_; }
  bool waits() const { return output_.empty() && answer_; }
  StreamingResponse::Wait wait() const { return answer_->wait(); }  ///< REQUIRES: waits()

 private:
  void add(StreamingResponse::Chunk step);

  OutputQueue output_;
  std::unique_ptr<StreamingResponse> answer_;  ///< there is more to come
  Framing framing_;
  MakeHead make_head_;
  bool chunked_ = false;
};

}  // namespace server
