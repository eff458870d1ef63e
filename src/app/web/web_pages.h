#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "app/config/config.h"
#include "app/web/web_files.h"
#include "server/server.h"
#include "server/streaming_response.h"

namespace app::web_pages {

/// The response to a request for `file`. `gzip`: whether the client accepts gzip. `query`: of the
/// request; the addresses in the page repeat server::kept_query of it.
server::Page page(const WebFile& file, bool gzip, std::string_view query,
                  const PageSettings& settings);

/// `document` with `kept`, which is a server::kept_query, at the end of all addresses in it, also
/// of those that `files`, its scripts, import from each other by names without a query. For that it
/// contains a script, which runs if the content policy has `nonce`.
std::string with_query(std::string document, std::span<const WebFile> files,
                       const std::string& kept, const std::string& nonce);

/// The page at "/"; null if the page was not built.
const WebFile* document();

/// Adds the files, and the logo, to `server` as public pages. Returns false if there are none.
/// Throws std::runtime_error if the logo cannot be read.
bool add_to(server::Server& server, const PageSettings& settings);

std::unique_ptr<server::StreamingResponse> respond(server::Page page);

}  // namespace app::web_pages
