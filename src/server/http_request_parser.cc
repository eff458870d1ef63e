#include "server/http_request_parser.h"

#include <http_parser.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/ascii.h"

namespace server {

namespace {

/// Replaces all but printable ASCII by '?': the text ends up in logs, JSON and metric labels.
std::string printable(std::string_view text, std::size_t max_length) {
  std::string out{text.substr(0, max_length)};
  std::replace_if(
      out.begin(), out.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return out;
}

/// Parses "gzip, br;q=0.5" (RFC 9110, 12.5.3). A weight of 0 means not acceptable (12.4.2).
bool takes_gzip(std::string_view codings) {
  while (!codings.empty()) {
    const auto item = codings.substr(0, codings.find(','));
    codings.remove_prefix(std::min(item.size() + 1, codings.size()));
    const auto name = item.substr(0, item.find(';'));
    if (!base::equal_ignoring_case(base::trimmed(name), "gzip")) continue;
    const auto weight = item.find('=', name.size());
    return weight == std::string_view::npos ||
           item.find_first_of("123456789", weight) != std::string_view::npos;
  }
  return false;
}

/// Whether the header is one that proxies add and clients do not.
bool is_forwarding(std::string_view name) {
  constexpr std::array<std::string_view, 9> kNames{
      "forwarded",      "via",      "x-real-ip",        "x-client-ip",
      "true-client-ip", "cdn-loop", "cf-connecting-ip", "x-cluster-client-ip",
      "x-original-host"};
  constexpr std::array<std::string_view, 2> kFamilies{"x-forwarded-", "x-envoy-"};
  const auto same = [&](auto known) { return base::equal_ignoring_case(name, known); };
  const auto begins = [&](auto family) {
    return base::equal_ignoring_case(name.substr(0, family.size()), family);
  };
  return std::ranges::any_of(kNames, same) || std::ranges::any_of(kFamilies, begins);
}

HttpFault too_large() {
  return {431, "the request header is too large: send fewer or shorter header fields"};
}

HttpFault fault_of(http_errno error) {
  switch (error) {
    case HPE_HEADER_OVERFLOW:
      return too_large();
    case HPE_INVALID_VERSION:
      return {505, "this HTTP version is not supported: use HTTP/1.1"};
    default:
      return {400, std::string{"not a valid HTTP request: "} + http_errno_description(error)};
  }
}

HttpRequest::Method method_of(unsigned method) {
  if (method == HTTP_GET) return HttpRequest::Method::kGet;
  if (method == HTTP_HEAD) return HttpRequest::Method::kHead;
  if (method == HTTP_OPTIONS) return HttpRequest::Method::kOptions;
  return HttpRequest::Method::kOther;
}

bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// Whether a target has only characters that a URI may have, and some that clients send unescaped
/// (RFC 9112, 3.2): http_parser takes control characters and bytes from 0x80 on, too.
bool is_visible(std::string_view target) {
  return std::ranges::all_of(target, [](char c) { return c > ' ' && c <= '~'; });
}

bool has_body(const http_parser& parser) {
  constexpr auto kNoLength = std::numeric_limits<std::uint64_t>::max();
  return parser.uses_transfer_encoding ||
         (parser.content_length != 0 && parser.content_length != kNoLength);
}

}  // namespace

class HttpRequestParser::Impl {
 public:
  explicit Impl(std::size_t max_bytes) : max_bytes_{max_bytes} { begin(); }

  Progress feed(std::string_view bytes) {
    const auto part = bytes.substr(0, max_bytes_ - used_);
    if (part.empty()) return {Status::kNeedMore, 0};  // http_parser takes 0 bytes for end of file
    const std::size_t consumed =
        http_parser_execute(&parser_, &callbacks(), part.data(), part.size());
    used_ += consumed;
    look_for_irregular_lines(part.substr(0, consumed));
    return {judge(), consumed};
  }

  HttpRequest take() {
    auto request = std::move(request_);
    begin();
    return request;
  }

  const HttpFault& fault() const { return fault_; }
  bool started() const { return used_ > 0; }

 private:
  static Impl& of(http_parser* parser) { return *static_cast<Impl*>(parser->data); }

  static const http_parser_settings& callbacks() {
    static const http_parser_settings settings = [] {
      http_parser_settings s;
      http_parser_settings_init(&s);
      s.on_url = [](http_parser* p, const char* at, std::size_t size) {
        of(p).request_.target.append(at, size);
        return 0;
      };
      s.on_header_field = [](http_parser* p, const char* at, std::size_t size) {
        of(p).add_to_name({at, size});
        return 0;
      };
      s.on_header_value = [](http_parser* p, const char* at, std::size_t size) {
        of(p).add_to_value({at, size});
        return 0;
      };
      s.on_headers_complete = [](http_parser* p) {
        of(p).finish_header();
        return 1;  // skip the body
      };
      s.on_message_complete = [](http_parser* p) {
        of(p).complete();
        http_parser_pause(p, 1);  // the next bytes belong to the next request
        return 0;
      };
      return s;
    }();
    return settings;
  }

  void begin() {
    http_parser_init(&parser_, HTTP_REQUEST);
    parser_.data = this;
    request_ = {};
    used_ = 0;
    hosts_ = 0;
    complete_ = false;
    in_value_ = false;
    last_ = 0;
    irregular_ = false;
    name_.clear();
    value_.clear();
  }

  /// http_parser takes a line that begins with a blank for the rest of the one before it, and any
  /// byte after the last CR for its LF.
  void look_for_irregular_lines(std::string_view part) {
    for (const char c : part) {
      irregular_ |= (last_ == '\n' && is_blank(c)) || (last_ == '\r' && c != '\n');
      last_ = c;
    }
  }

  Status judge() {
    if (complete_) return check();
    const auto error = HTTP_PARSER_ERRNO(&parser_);
    if (error != HPE_OK) return fail(fault_of(error));
    if (used_ < max_bytes_) return Status::kNeedMore;
    if (name_.empty()) return fail({414, "the request line is too long: shorten the URL"});
    return fail(too_large());
  }

  Status check() {
    if (parser_.http_major != 1) return fail(fault_of(HPE_INVALID_VERSION));
    if (parser_.uses_transfer_encoding && !(parser_.flags & F_CHUNKED)) {
      return fail({400, "the last transfer coding must be chunked"});  // RFC 9112, 6.3
    }
    if (irregular_) {
      return fail(
          {400, "a header line begins with a blank, has one before its colon, or lacks LF"});
    }
    if (!is_visible(request_.target)) {
      return fail({400, "the request target must be printable ASCII: percent-encode all else"});
    }
    if (hosts_ > 1 || (hosts_ == 0 && !request_.http_1_0)) {
      return fail({400, "the request must have exactly one Host header"});
    }
    return Status::kComplete;
  }

  Status fail(HttpFault fault) {
    fault_ = std::move(fault);
    return Status::kFailed;
  }

  void add_to_name(std::string_view part) {
    if (in_value_) finish_header();
    name_.append(part);
  }

  void add_to_value(std::string_view part) {
    in_value_ = true;
    value_.append(part);
  }

  void finish_header() {
    irregular_ |= std::ranges::any_of(name_, is_blank);
    if (base::equal_ignoring_case(name_, "user-agent")) {
      request_.user_agent = printable(value_, HttpRequest::kMaxUserAgentLength);
    } else if (base::equal_ignoring_case(name_, "origin")) {
      request_.origin = printable(value_, HttpRequest::kMaxUserAgentLength);
    } else if (base::equal_ignoring_case(name_, "sec-fetch-site")) {
      request_.fetch_site = printable(value_, HttpRequest::kMaxUserAgentLength);
    } else if (base::equal_ignoring_case(name_, "sec-fetch-dest")) {
      request_.fetch_dest = printable(value_, HttpRequest::kMaxUserAgentLength);
    } else if (base::equal_ignoring_case(name_, "accept-encoding")) {
      request_.gzip |= takes_gzip(value_);
    } else if (base::equal_ignoring_case(name_, "host")) {
      ++hosts_;
      request_.host = printable(value_, HttpRequest::kMaxUserAgentLength);
    } else if (is_forwarding(name_)) {
      finish_forwarding_header();
    }
    in_value_ = false;
    name_.clear();
    value_.clear();
  }

  void finish_forwarding_header() {
    if (request_.forwarding_header.empty()) {
      request_.forwarding_header = printable(name_, HttpRequest::kMaxUserAgentLength);
    }
    if (base::equal_ignoring_case(name_, "x-forwarded-for")) {
      if (!request_.forwarded_for.empty()) request_.forwarded_for += ',';
      request_.forwarded_for += value_;
    } else if (base::equal_ignoring_case(name_, "x-forwarded-host")) {
      request_.forwarded_host = printable(value_, HttpRequest::kMaxUserAgentLength);
    }
  }

  void complete() {
    complete_ = true;
    request_.method = method_of(parser_.method);
    request_.http_1_0 = parser_.http_major == 1 && parser_.http_minor == 0;
    request_.keep_alive = http_should_keep_alive(&parser_) != 0 && !has_body(parser_) &&
                          parser_.method != HTTP_CONNECT;
    request_.says_keep_alive = (parser_.flags & F_CONNECTION_KEEP_ALIVE) != 0;
    request_.says_close = (parser_.flags & F_CONNECTION_CLOSE) != 0;
  }

  const std::size_t max_bytes_;
  http_parser parser_{};
  HttpRequest request_;
  HttpFault fault_;
  std::size_t used_ = 0;
  int hosts_ = 0;
  bool complete_ = false;
  bool in_value_ = false;  ///< the last header callback was for a value, not a name
  char last_ = 0;          ///< byte of the request
  /// A line is folded, has a blank before its colon, or ends in CR alone. Proxies read these in
  /// other ways, so RFC 9112 (2.2, 5.1, 5.2) has servers reject them.
  bool irregular_ = false;
  std::string name_;
  std::string value_;
};

HttpRequestParser::HttpRequestParser(std::size_t max_bytes)
    : impl_{std::make_unique<Impl>(max_bytes)} {}
HttpRequestParser::~HttpRequestParser() = default;

HttpRequestParser::Progress HttpRequestParser::feed(std::string_view bytes) {
  return impl_->feed(bytes);
}
HttpRequest HttpRequestParser::take() { return impl_->take(); }
const HttpFault& HttpRequestParser::fault() const { return impl_->fault(); }
bool HttpRequestParser::started() const { return impl_->started(); }

}  // namespace server
