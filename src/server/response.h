#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/units.h"
#include "server/output_queue.h"
#include "server/streaming_response.h"

namespace server {

/// Turns a page, or a StreamingResponse, into the bytes of HTTP. No I/O. Used on its connection's
/// loop thread.
class OutgoingResponse {
 public:
  struct Framing {
    bool head_only = false;  ///< HEAD
    bool http_1_0 = false;   ///< no chunks; a body without length ends with the connection
  };
  /// Returns the text of a head.
  using MakeHead = std::function<std::string(const ResponseHead&)>;

  /// Starts the next response. REQUIRES: done().
  void begin(std::string head, SharedBytes body = {});
  void begin(std::unique_ptr<StreamingResponse> streaming, Framing framing, MakeHead make_head);

  /// Takes more from the StreamingResponse if the output is empty. Returns whether there are bytes
  /// to write.
  bool pull(ResponseConnection& connection, base::Time now);
  OutputQueue& output() { return output_; }
  bool done() const { return output_.empty() && !streaming_; }
  bool waits() const { return output_.empty() && streaming_; }
  StreamingResponse::Wait wait() const { return streaming_->wait(); }  ///< REQUIRES: waits()
  /// When the kernel must have taken all: see ResponseHead::finish_within.
  base::Time finish_by() const { return finish_by_; }

 private:
  void add(StreamingResponse::Chunk chunk, base::Time now);

  OutputQueue output_;
  std::unique_ptr<StreamingResponse> streaming_;  ///< null when it has returned everything
  Framing framing_;
  MakeHead make_head_;
  bool chunked_ = false;
  base::Time finish_by_ = base::Time::max();
};

}  // namespace server
