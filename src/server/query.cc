#include "server/query.h"

#include <cctype>

namespace server {

namespace {

/// Keys of requests to this server (docs/API.md), and of HLS, which reserves _HLS_ (RFC
/// 8216bis, 6.2.5).
bool is_ours(std::string_view item) {
  const auto key = item.substr(0, item.find('='));
  return key == "abr" || key == "rate" || key.starts_with("_HLS_");
}

bool may_stay(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view{"-._~!$()*+,;:@/?=%"}.find(c) != std::string_view::npos;
}

}  // namespace

std::string kept_query(std::string_view query) {
  std::string kept;
  while (!query.empty()) {
    const auto end = query.find('&');
    const auto item = query.substr(0, end);
    query = end == std::string_view::npos ? std::string_view{} : query.substr(end + 1);
    if (item.empty() || is_ours(item) || !std::ranges::all_of(item, may_stay)) continue;
    kept += kept.empty() ? '?' : '&';
    kept += item;
  }
  return kept;
}

}  // namespace server
