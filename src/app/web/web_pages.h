#pragma once

#include <memory>

#include "app/config/config.h"
#include "app/web/web_files.h"
#include "server/server.h"
#include "server/streaming_response.h"

namespace app::web_pages {

/// The response to a request for `file`. `gzip`: whether the client accepts gzip.
server::Page page(const WebFile& file, bool gzip, const PageSettings& settings);

/// The page at "/"; null if the page was not built.
const WebFile* document();

/// Adds the files, and the logo, to `server` as public pages. Returns false if there are none.
/// Throws std::runtime_error if the logo cannot be read.
bool add_to(server::Server& server, const PageSettings& settings);

std::unique_ptr<server::StreamingResponse> respond(server::Page page);

}  // namespace app::web_pages
