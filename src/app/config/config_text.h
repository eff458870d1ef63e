#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/config/config.h"

namespace app {

/// The text of config/symcast.toml: every key, documented and commented out at its built-in value.
std::string reference_config();

/// The configuration in effect as TOML: every key of every stream. Loads to the same configuration.
std::string effective_config(const Config& config);

/// load_config() for the text of one file, without I/O: secrets stay ${NAME}. `path` is for errors.
Config load_config_text(std::string_view text, const std::string& path,
                        const std::vector<std::string>& offered);

}  // namespace app
