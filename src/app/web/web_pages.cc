#include "app/web/web_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <utility>

#include "server/full_response.h"
#include "server/query.h"

namespace app::web_pages {

namespace {

using server::SharedBytes;

constexpr std::string_view kDocumentPath = "/";
// A year (RFC 9111 sets no maximum): the path of an asset changes with its content.
constexpr const char* kImmutableCacheControl = "public, max-age=31536000, immutable";

// Nothing from other origins and no inline scripts but one. Media Source Extensions play a blob:
// URL.
constexpr const char* kContentSecurityPolicy =
    "Content-Security-Policy: default-src 'none'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; media-src 'self' blob:; base-uri 'none'; form-action 'none'; "
    "script-src 'self'";

// Larger images make the page slow.
constexpr std::size_t kMaxLogoBytes = 1'000'000;
constexpr const char* kLogoPath = "/logo";
constexpr std::array<std::pair<std::string_view, const char*>, 6> kImageTypes{
    {{".svg", "image/svg+xml"},
     {".png", "image/png"},
     {".jpg", "image/jpeg"},
     {".jpeg", "image/jpeg"},
     {".webp", "image/webp"},
     {".gif", "image/gif"}}};

/// `nonce`: of the only inline script; empty if there is none.
std::string security_policy(const PageSettings& settings, const std::string& nonce) {
  std::string policy = kContentSecurityPolicy;
  if (!nonce.empty()) policy += " 'nonce-" + nonce + "'";
  policy += "; frame-ancestors ";
  for (const auto& origin : settings.embed) policy += origin.name + " ";
  return policy + (settings.embed.empty() ? "'none'" : "'self'");
}

server::Page logo(const std::string& path) {
  const auto* type =
      std::ranges::find_if(kImageTypes, [&](const auto& t) { return path.ends_with(t.first); });
  if (type == kImageTypes.end()) {
    throw std::runtime_error{"page.logo: " + path + " is no .svg, .png, .jpg, .webp or .gif file"};
  }
  std::ifstream file{path, std::ios::binary};
  std::string bytes{std::istreambuf_iterator<char>{file}, {}};
  if (!file || bytes.empty()) throw std::runtime_error{"page.logo: " + path + " cannot be read"};
  if (bytes.size() > kMaxLogoBytes) {
    throw std::runtime_error{"page.logo: " + path + " is larger than 1 MB"};
  }
  // A picture in SVG may have scripts, which this forbids.
  return {.content_type = type->second,
          .body = SharedBytes::of(std::move(bytes)),
          .cache_control = "public, max-age=300",
          .fields = {"X-Content-Type-Options: nosniff",
                     "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; "
                     "frame-ancestors 'none'"}};
}

/// Nobody can guess it and so smuggle a script into the page.
std::string new_nonce() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

/// The text of an attribute.
std::string escaped(const std::string& kept) {
  std::string text;
  for (const char c : kept) text += c == '&' ? "&amp;" : std::string{c};
  return text;
}

/// A browser asks for an imported module by the address that this map has for it (WHATWG HTML,
/// 8.1.5.1).
std::string import_map(std::span<const WebFile> files, const std::string& kept,
                       const std::string& nonce) {
  std::string modules;
  for (const auto& file : files) {
    if (!file.path.ends_with(".js")) continue;
    modules +=
        fmt::format("{}\".{}\":\".{}{}\"", modules.empty() ? "" : ",", file.path, file.path, kept);
  }
  return fmt::format("<script type=\"importmap\" nonce=\"{}\">{{\"imports\":{{{}}}}}</script>\n",
                     nonce, modules);
}

}  // namespace

std::string with_query(std::string document, std::span<const WebFile> files,
                       const std::string& kept, const std::string& nonce) {
  for (const std::string_view attribute : {" href=\"", " src=\""}) {
    auto at = document.find(attribute);
    for (; at != std::string_view::npos; at = document.find(attribute, at + 1)) {
      const auto value = at + attribute.size();
      if (document[value] != '#') document.insert(document.find('"', value), escaped(kept));
    }
  }
  const auto script = document.find("<script ");
  if (script != std::string_view::npos) document.insert(script, import_map(files, kept, nonce));
  return document;
}

server::Page page(const WebFile& file, bool gzip, std::string_view query,
                  const PageSettings& settings) {
  const bool is_document = file.path == kDocumentPath;
  const auto kept = is_document ? server::kept_query(query) : "";
  const auto nonce = kept.empty() ? "" : new_nonce();
  const bool compressed = gzip && !file.gzip.empty() && kept.empty();
  server::Page page{.content_type = std::string{file.content_type},
                    .body = SharedBytes::permanent(compressed ? file.gzip : file.bytes),
                    .fields = {"X-Content-Type-Options: nosniff"}};
  if (!kept.empty()) {
    page.body = SharedBytes::of(with_query(std::string{file.bytes}, web_files(), kept, nonce));
  }
  if (compressed) page.fields.emplace_back("Content-Encoding: gzip");
  if (!file.gzip.empty()) page.fields.emplace_back("Vary: Accept-Encoding");
  if (is_document) {
    page.fields.push_back(security_policy(settings, nonce));
  } else {
    page.cache_control = kImmutableCacheControl;
  }
  return page;
}

const WebFile* document() {
  const auto files = web_files();
  const auto found = std::ranges::find(files, kDocumentPath, &WebFile::path);
  return found == files.end() ? nullptr : &*found;
}

bool add_to(server::Server& server, const PageSettings& settings) {
  for (const auto& file : web_files()) {
    server.add_page(std::string{file.path}, server::Access::kPublic,
                    [file, settings](const server::PageRequest& request) {
                      return page(file, request.gzip, request.query, settings);
                    });
  }
  if (!settings.logo.empty()) {
    server.add_page(kLogoPath, server::Access::kPublic,
                    [image = logo(settings.logo)](const server::PageRequest&) { return image; });
  }
  return !web_files().empty();
}

std::unique_ptr<server::StreamingResponse> respond(server::Page page) {
  return server::respond_with(server::full_response({.status = page.status,
                                                     .content_type = std::move(page.content_type),
                                                     .length = {},
                                                     .cache_control = std::move(page.cache_control),
                                                     .fields = std::move(page.fields),
                                                     .media = page.media},
                                                    {std::move(page.body)}));
}

}  // namespace app::web_pages
