#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace app {

/// The files of the configuration `path`: itself, then conf.d/*.toml beside it in the order of
/// their names. Throws ConfigError if conf.d cannot be read.
std::vector<std::filesystem::path> config_files(const std::filesystem::path& path);

/// The file of secrets beside the configuration `path`.
std::filesystem::path secrets_file(const std::filesystem::path& path);

}  // namespace app
