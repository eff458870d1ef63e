#pragma once

#include <string>
#include <vector>

#include "app/config/config.h"

namespace app {

/// The keys, such as "server.listen", whose new values hold only after a restart of symcast.
std::vector<std::string> keys_for_restart(const Config& running, const Config& wanted);

/// The same for a stream, such as "source.uri": it may also be given another name.
std::vector<std::string> keys_for_restart(const StreamConfig& running, const StreamConfig& wanted);

}  // namespace app
