#include "server/http_response_head.h"

#include <fmt/format.h>
#include <http_parser.h>

#include <array>
#include <iterator>

namespace server {

namespace {

void append_special(std::string& out, const HttpResponseHead& head) {
  const auto end = std::back_inserter(out);
  if (head.status == 405) fmt::format_to(end, "Allow: GET, HEAD, OPTIONS\r\n");
  if (head.status == 503) fmt::format_to(end, "Retry-After: {}\r\n", head.retry_after);
}

}  // namespace

std::string http_date(std::time_t time) {
  static constexpr std::array kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr std::array kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::tm utc{};
  gmtime_r(&time, &utc);
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT",
                     kDays[static_cast<std::size_t>(utc.tm_wday)], utc.tm_mday,
                     kMonths[static_cast<std::size_t>(utc.tm_mon)], utc.tm_year + 1900, utc.tm_hour,
                     utc.tm_min, utc.tm_sec);
}

std::string HttpResponseHead::text() const {
  std::string out;
  const auto end = std::back_inserter(out);
  fmt::format_to(end,
                 "HTTP/1.1 {} {}\r\nServer: symcast\r\nDate: {}\r\nContent-Type: {}\r\n"
                 "Cache-Control: {}\r\nConnection: {}\r\n",
                 status, http_status_str(static_cast<http_status>(status)), http_date(date),
                 content_type, cache_control, keep_alive ? "keep-alive" : "close");
  if (length) {
    fmt::format_to(end, "Content-Length: {}\r\n", *length);
  } else if (!http_1_0) {
    fmt::format_to(end, "Transfer-Encoding: chunked\r\n");
  }
  append_special(out, *this);
  for (const auto& field : fields) fmt::format_to(end, "{}\r\n", field);
  return out += "\r\n";
}

}  // namespace server
