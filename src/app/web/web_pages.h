#pragma once

#include "app/web/web_files.h"
#include "server/server.h"

namespace app::web_pages {

/// What a request for it is answered.
server::Page page(const WebFile& file, bool gzip);

/// The files as pages for everybody. False: there are none.
bool add_to(server::Server& server);

}  // namespace app::web_pages
