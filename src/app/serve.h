#pragma once

#include <functional>

#include "app/config/config.h"

namespace app {

/// Runs the server until SIGTERM or SIGINT; SIGHUP calls `reload` for a new configuration. Tells
/// systemd when it is ready and that it is alive. Returns the process's exit code.
int serve(Config config, const std::function<Config()>& reload);

}  // namespace app
