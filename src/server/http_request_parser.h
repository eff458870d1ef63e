#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace server {

/// The head of one HTTP/1.x request. Bodies are not read: the connection ends instead.
struct HttpRequest {
  enum class Method { kGet, kHead, kOptions, kOther };

  Method method = Method::kGet;
  std::string target;      ///< as sent
  std::string user_agent;  ///< printable ASCII, at most kMaxUserAgent
  std::string origin;      ///< of the page that asks; likewise; empty: none, or not a browser
  bool http_1_0 = false;
  bool gzip = false;        ///< Accept-Encoding has it
  bool keep_alive = false;  ///< asked for, and possible: no body follows

  static constexpr std::size_t kMaxUserAgent = 256;  ///< kept per viewer, shown in lists
};

/// Why a request cannot be answered as asked; the connection ends after the answer.
struct HttpFault {
  int status = 400;
  std::string reason;
};

/// Bytes → requests, without I/O. One per connection, on its loop thread. Holds at most what
/// `max_bytes` allows, however the bytes are cut.
class HttpRequestParser {
 public:
  enum class Status { kNeedMore, kComplete, kFailed };
  struct Progress {
    Status status;
    std::size_t consumed;  ///< bytes of the input that belonged to this request
  };

  explicit HttpRequestParser(std::size_t max_bytes);
  ~HttpRequestParser();

  /// After kComplete call take(), after kFailed only fault().
  Progress feed(std::string_view bytes);
  HttpRequest take();  ///< and begins the next request
  const HttpFault& fault() const;
  bool started() const;  ///< bytes of an unfinished request have come

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace server
