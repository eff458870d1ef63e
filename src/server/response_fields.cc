#include "server/response_fields.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <iterator>

#include "server/http_response_head.h"

namespace server {

namespace {

/// Pages of other origins may read errors, which say why there are no media; but not whether this
/// browser's user is an admin.
bool is_readable_error(int status) { return status >= 400 && status != 403; }

/// Keeps browsers from taking a page for something else (WHATWG Fetch, 2.7), and pages of other
/// origins from showing it in a frame or loading it as if it were theirs.
void protect(std::vector<std::string>& fields) {
  constexpr std::array kFields{"X-Content-Type-Options: nosniff",
                               "Content-Security-Policy: frame-ancestors 'none'",
                               "Cross-Origin-Resource-Policy: same-origin"};
  for (const std::string_view field : kFields) {
    const auto name = field.substr(0, field.find(' '));
    if (std::ranges::none_of(fields, [=](const auto& own) { return own.starts_with(name); })) {
      fields.emplace_back(field);
    }
  }
}

}  // namespace

void add_fields(ResponseHead& head, const std::vector<Origin>& cors_allow, std::string_view origin,
                bool for_admins) {
  if (!head.media) protect(head.fields);
  if (head.media || (!for_admins && is_readable_error(head.status))) {
    std::ranges::move(cors_fields(cors_allow, origin), std::back_inserter(head.fields));
  }
  // nginx would collect a response before it passes it on (ngx_http_proxy_module).
  if (head.media || !head.length) head.fields.emplace_back("X-Accel-Buffering: no");
}

std::vector<std::string> options_fields(const std::vector<Origin>& cors_allow,
                                        std::string_view origin, bool for_admins) {
  std::vector<std::string> fields;
  if (!for_admins) fields = preflight_fields(cors_allow, origin);
  fields.emplace_back("Allow: GET, HEAD, OPTIONS");
  return fields;
}

std::string head_text(const ResponseHead& head, bool http_1_0, bool keep_alive) {
  return HttpResponseHead{.status = head.status,
                          .content_type = head.content_type,
                          .length = head.length,
                          .http_1_0 = http_1_0,
                          .keep_alive = keep_alive,
                          .date = std::time(nullptr),
                          .cache_control = head.cache_control,
                          .retry_after = head.retry_after,
                          .fields = head.fields}
      .text();
}

std::string_view content_type(media::Container container) {
  switch (container) {
    case media::Container::kFlv:
      return "video/x-flv";
    case media::Container::kMp4:
      return "video/mp4";
    case media::Container::kMpegTs:
      break;
  }
  return "video/mp2t";
}

}  // namespace server
