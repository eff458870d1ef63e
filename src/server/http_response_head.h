#pragma once

#include <cstddef>
#include <ctime>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "server/streaming_response.h"

namespace server {

/// The status line and headers of one response. A value.
struct HttpResponseHead {
  int status = 200;
  std::string_view content_type = "text/plain; charset=utf-8";
  std::optional<std::size_t> length;  ///< Content-Length; without it, chunked or until close
  bool http_1_0 = false;              ///< the request's version, which has no chunks
  bool keep_alive = false;
  std::time_t date = 0;
  std::string_view cache_control = "no-store";
  int retry_after = kRetryAfterSeconds;   ///< seconds; sent with 503
  std::span<const std::string> fields{};  ///< other header fields: "Name: value"

  std::string text() const;
};

/// In the format of RFC 9110, 5.6.7: "Sun, 06 Nov 1994 08:49:37 GMT".
std::string http_date(std::time_t time);

}  // namespace server
