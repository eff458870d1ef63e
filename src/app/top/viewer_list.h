#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/top/connection.h"
#include "base/result.h"
#include "server/address.h"

namespace app {

/// The viewers by the text of their connections' peers.
using ViewerList = std::map<std::string, ConnectionViewer>;

/// Asks the server on this machine that listens on `server` (/api/v1/connections). Waits for at
/// most a second. The error is for the heading of the table.
base::Result<ViewerList> viewer_list(const server::Endpoint& server);

/// Reads its response.
base::Result<ViewerList> parse_viewers(std::string_view response);

void name_viewers(std::vector<Connection>& connections, const ViewerList& viewers);

}  // namespace app
