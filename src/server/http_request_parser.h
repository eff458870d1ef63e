#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace server {

/// The head of one HTTP/1.x request. A value. Bodies are not read; the connection is closed after
/// the response instead.
struct HttpRequest {
  enum class Method { kGet, kHead, kOptions, kOther };

  Method method = Method::kGet;
  std::string target;      ///< as sent
  std::string user_agent;  ///< printable ASCII, at most kMaxUserAgentLength
  std::string origin;      ///< the Origin header, in printable ASCII; empty without one
  std::string fetch_site;  ///< Sec-Fetch-Site: how the page that asks is related to the server
  std::string fetch_dest;  ///< Sec-Fetch-Dest: for what; "document" for a page of its own
  std::string host;        ///< the Host header, in printable ASCII
  std::string forwarding_header;  ///< name of the first header that only proxies send; often empty
  std::string forwarded_for;      ///< X-Forwarded-For: all of them, joined by commas
  std::string forwarded_host;     ///< the last X-Forwarded-Host, in printable ASCII
  bool http_1_0 = false;
  bool gzip = false;        ///< Accept-Encoding lists it
  bool keep_alive = false;  ///< the client asked for it, and no body follows
  /// The options of the Connection header. It holds for one hop: a proxy replaces or removes it.
  bool says_keep_alive = false;
  bool says_close = false;

  /// Longer user agents and origins are cut off: each viewer's is kept, and shown in lists.
  static constexpr std::size_t kMaxUserAgentLength = 256;
};

/// Why a request is rejected. The connection is closed after the response.
struct HttpFault {
  int status = 400;
  std::string reason;
};

/// Parses requests from a connection's bytes, however they are split. No I/O. Keeps at most
/// `max_bytes` of a request. One per connection, used on its loop thread.
class HttpRequestParser {
 public:
  enum class Status { kNeedMore, kComplete, kFailed };
  struct Progress {
    Status status;
    std::size_t consumed;  ///< bytes of the input that belonged to this request
  };

  explicit HttpRequestParser(std::size_t max_bytes);
  ~HttpRequestParser();

  /// After kComplete call take(); after kFailed call only fault().
  Progress feed(std::string_view bytes);
  HttpRequest take();  ///< returns the request, and starts the next one
  const HttpFault& fault() const;
  bool started() const;  ///< some bytes of an unfinished request have arrived

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace server
