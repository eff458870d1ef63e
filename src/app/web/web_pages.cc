#include "app/web/web_pages.h"

namespace app::web_pages {

namespace {

constexpr std::string_view kDocumentPath = "/";
// A year (RFC 9111 sets no maximum): the path of an asset changes with its content.
constexpr const char* kImmutableCacheControl = "public, max-age=31536000, immutable";

// Nothing from other origins and no inline scripts. Media Source Extensions play a blob: URL.
constexpr const char* kContentSecurityPolicy =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self'; connect-src 'self'; media-src 'self' blob:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'";

}  // namespace

server::Page page(const WebFile& file, bool gzip) {
  const bool compressed = gzip && !file.gzip.empty();
  server::Page page{.content_type = std::string{file.content_type},
                    .body = std::string{compressed ? file.gzip : file.bytes},
                    .fields = {"X-Content-Type-Options: nosniff"}};
  if (compressed) page.fields.emplace_back("Content-Encoding: gzip");
  if (!file.gzip.empty()) page.fields.emplace_back("Vary: Accept-Encoding");
  if (file.path == kDocumentPath) {
    page.fields.emplace_back(kContentSecurityPolicy);
  } else {
    page.cache_control = kImmutableCacheControl;
  }
  return page;
}

bool add_to(server::Server& server) {
  for (const auto& file : web_files()) {
    server.add_page(
        std::string{file.path}, server::Access::kPublic,
        [file](const server::PageRequest& request) { return page(file, request.gzip); });
  }
  return !web_files().empty();
}

}  // namespace app::web_pages
