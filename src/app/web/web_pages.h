#pragma once

#include "app/web/web_files.h"
#include "server/server.h"

namespace app::web_pages {

/// The response to a request for `file`. `gzip`: whether the client accepts gzip.
server::Page page(const WebFile& file, bool gzip);

/// Adds the files to `server` as public pages. Returns false if there are none.
bool add_to(server::Server& server);

}  // namespace app::web_pages
