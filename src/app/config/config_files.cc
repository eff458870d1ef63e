#include "app/config/config_files.h"

#include <algorithm>
#include <system_error>

#include "app/config/config.h"

namespace app {

std::vector<std::filesystem::path> config_files(const std::filesystem::path& path) {
  const auto directory = path.parent_path() / "conf.d";
  std::vector<std::filesystem::path> files;
  std::error_code error;
  if (std::filesystem::is_directory(directory, error)) {
    for (std::filesystem::directory_iterator entry{directory, error}, end; entry != end && !error;
         entry.increment(error)) {
      const auto& file = entry->path();
      const bool hidden = file.filename().native().starts_with('.');
      if (file.extension() == ".toml" && !hidden) files.push_back(file);
    }
    if (error) throw ConfigError{directory.string() + ": " + error.message()};
  }
  std::ranges::sort(files);
  files.insert(files.begin(), path);
  return files;
}

std::filesystem::path secrets_file(const std::filesystem::path& path) {
  return path.parent_path() / "secrets.toml";
}

}  // namespace app
