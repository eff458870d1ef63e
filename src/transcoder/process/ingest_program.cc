#include "transcoder/process/ingest_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

namespace transcoder {

namespace {

constexpr const char* kName = "symcast-ingest";

}  // namespace

base::Result<IngestProgram> IngestProgram::at(const std::string& path) {
  base::UniqueFd fd{::open(path.c_str(), O_PATH | O_CLOEXEC)};
  if (!fd || ::access(path.c_str(), X_OK) != 0) {
    return base::Error{
        fmt::format("cannot run '{}': {}", path, std::generic_category().message(errno))};
  }
  return IngestProgram{path, std::move(fd)};
}

base::Result<IngestProgram> IngestProgram::find() {
  std::error_code error;
  const auto here = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  if (error) return base::Error{"cannot read /proc/self/exe: " + error.message()};
  const std::array paths{here / kName, here.parent_path() / "libexec/symcast" / kName};
  for (const auto& path : paths) {
    if (std::filesystem::exists(path, error)) return at(path.string());
  }
  return base::Error{fmt::format("{} is neither in {} nor in {}; install the package again", kName,
                                 paths[0].parent_path().string(), paths[1].parent_path().string())};
}

}  // namespace transcoder
