#include "transcoder/uri/source_file.h"

#include <fmt/format.h>
#include <glib.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "transcoder/handle.h"

namespace transcoder {

namespace {

constexpr std::string_view kFileScheme = "file:";

/// The unit's ProtectHome= hides these folders, and no permission of the file changes that.
std::string_view service_advice(const std::filesystem::path& path) {
  const auto text = path.string();
  const bool home =
      text.starts_with("/home/") || text.starts_with("/root/") || text.starts_with("/run/user/");
  const bool service = std::getenv("INVOCATION_ID") != nullptr;  // systemd.exec(5)
  return home && service ? ", or the systemd unit hides it: see ProtectHome= in man symcast" : "";
}

/// Throws std::runtime_error with the reason if the file cannot be read.
void require_readable(const std::filesystem::path& path) {
  const int result = ::access(path.c_str(), R_OK);
  const int error = errno;
  if (result != 0 && (error == ENOENT || error == ENOTDIR)) {
    throw std::runtime_error{fmt::format("no file '{}'; check the path in the source's URI{}",
                                         path.string(), service_advice(path))};
  }
  if (result != 0 && error == EACCES) {
    throw std::runtime_error{
        fmt::format("no permission to read '{}'; change the mode of the file or its folders{}",
                    path.string(), service_advice(path))};
  }
  if (result != 0) {
    throw std::runtime_error{
        fmt::format("cannot read '{}': {}", path.string(), std::generic_category().message(error))};
  }
  if (std::filesystem::is_directory(path)) {
    throw std::runtime_error{fmt::format("'{}' is a directory; name a file in it", path.string())};
  }
}

}  // namespace

bool is_file(const std::string& uri) { return uri.starts_with(kFileScheme); }

std::filesystem::path file_path(const std::string& uri) {
  const std::string_view name = std::string_view{uri}.substr(kFileScheme.size());
  // "file:PATH" has no escapes, "file://HOST/PATH" may have some.
  if (!name.starts_with("//")) return std::filesystem::absolute(name);
  const Handle<gchar, g_free> path{g_filename_from_uri(uri.c_str(), nullptr, nullptr)};
  if (!path)
    throw std::runtime_error{fmt::format("'{}' is not a file's URI; write file:PATH", uri)};
  return path.get();
}

std::string file_uri(const std::string& uri) {
  const auto path = file_path(uri);
  require_readable(path);
  return Handle<gchar, g_free>{g_filename_to_uri(path.c_str(), nullptr, nullptr)}.get();
}

}  // namespace transcoder
