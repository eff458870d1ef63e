#include "transcoder/gst/hls_nesting.h"

#include <fmt/format.h>
#include <glib.h>

#include <algorithm>
#include <vector>

#include "transcoder/handle.h"
#include "transcoder/secrets.h"

namespace transcoder {

namespace {

constexpr std::string_view kVariant = "#EXT-X-STREAM-INF";

/// Variants that are remembered. Services have some twenty.
constexpr std::size_t kMaxVariants = 1000;

std::string absolute(const std::string& base, std::string_view reference) {
  const Handle<gchar, g_free> uri{g_uri_resolve_relative(
      base.c_str(), std::string{reference}.c_str(), G_URI_FLAGS_ENCODED, nullptr)};
  return uri ? uri.get() : std::string{reference};
}

/// The URLs of the variants of a playlist. Each is on the next line that is neither empty nor a
/// comment (RFC 8216, 4.3.4.2).
std::vector<std::string> variants_of(const std::string& url, std::string_view text) {
  std::vector<std::string> result;
  bool named = false;
  while (!text.empty() && result.size() < kMaxVariants) {
    const auto end = text.find_first_of("\r\n");
    const auto line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.starts_with(kVariant)) named = true;
    if (!named || line.empty() || line.starts_with('#')) continue;
    result.push_back(absolute(url, line));
    named = false;
  }
  return result;
}

}  // namespace

std::string HlsNesting::check(const std::string& url, std::string_view text) {
  const auto variants = variants_of(url, text);
  if (variants.empty()) return {};
  if (std::ranges::find(variants, url) != variants.end()) {
    return "the HLS playlist names itself as a variant";
  }
  if (std::ranges::find(variants_, url) != variants_.end()) {
    return fmt::format(
        "the HLS playlist names {} as a variant, which lists variants itself instead of segments",
        without_secrets(url));
  }
  variants_.insert(variants_.end(), variants.begin(), variants.end());
  while (variants_.size() > kMaxVariants) variants_.pop_front();
  return {};
}

}  // namespace transcoder
