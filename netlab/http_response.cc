#include "netlab/http_response.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace netlab {
namespace {

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

}  // namespace

std::size_t HttpResponse::feed(std::span<const std::uint8_t> bytes) {
  std::size_t used = 0;
  while (!complete_ && used < bytes.size()) {
    head_.push_back(static_cast<char>(bytes[used++]));
    complete_ = head_.ends_with("\r\n\r\n");
  }
  return used;
}

int HttpResponse::status() const {
  constexpr std::size_t kStatusAt = 9;  // after "HTTP/1.x "
  int status = 0;
  if (head_.starts_with("HTTP/1.") && head_.size() > kStatusAt + 3) {
    std::from_chars(head_.data() + kStatusAt, head_.data() + kStatusAt + 3, status);
  }
  return status;
}

bool HttpResponse::chunked() const {
  const auto encoding = header("Transfer-Encoding");
  return encoding && equal_ignoring_case(*encoding, "chunked");
}

std::optional<std::string> HttpResponse::header(std::string_view name) const {
  for (std::size_t at = head_.find("\r\n"); at != std::string::npos && at + 2 < head_.size();) {
    const std::size_t end = head_.find("\r\n", at + 2);
    const std::string_view line = std::string_view{head_}.substr(at + 2, end - at - 2);
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos && equal_ignoring_case(line.substr(0, colon), name)) {
      const std::size_t begin = std::min(line.find_first_not_of(" \t", colon + 1), line.size());
      return std::string{line.substr(begin, line.find_last_not_of(" \t") + 1 - begin)};
    }
    at = end;
  }
  return std::nullopt;
}

}  // namespace netlab
