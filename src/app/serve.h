#pragma once

#include <functional>

#include "app/config/config.h"

namespace app {

/// Runs the server until SIGTERM or SIGINT. On SIGHUP it calls `reload` for a new configuration. It
/// notifies systemd when it is ready, and regularly that it is alive. Returns the exit code.
int serve(Config config, const std::function<Config()>& reload);

}  // namespace app
