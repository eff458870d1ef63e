#include "app/cli/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <ostream>
#include <string>
#include <system_error>
#include <vector>

#include "app/config/config_advice.h"
#include "app/config/config_files.h"
#include "app/config/config_text.h"
#include "transcoder/ingest/source_check.h"
#include "transcoder/secrets.h"

namespace app {

namespace {

/// "; with a.toml, b.toml of conf.d"; empty if there are none.
std::string additions(const std::string& path) {
  std::vector<std::string> names;
  for (const auto& file : config_files(path)) names.push_back(file.filename());
  names.erase(names.begin());
  return names.empty() ? "" : fmt::format("; with {} of conf.d", fmt::join(names, ", "));
}

std::string summary(const Config& config) {
  std::vector<std::string> names;
  for (const auto& stream : config.streams) names.push_back(stream.media.name);
  std::vector<std::string> endpoints;
  for (const auto& endpoint : config.server.listen) endpoints.push_back(endpoint.text());
  return fmt::format("{} stream{}: {}; on {}", names.size(), names.size() == 1 ? "" : "s",
                     fmt::join(names, ", "), fmt::join(endpoints, ", "));
}

bool everybody_reads(const std::filesystem::path& file) {
  std::error_code error;
  const auto permissions = std::filesystem::status(file, error).permissions();
  return !error && (permissions & std::filesystem::perms::others_read) != std::filesystem::perms{};
}

}  // namespace

void check(const CommandLine& line, std::ostream& out) {
  if (line.reference) {
    out << reference_config();
    return;
  }
  // ExecReload= of a service runs this, where systemd 252 does not let it read credentials.
  const auto config = load_config(line.config_path, {.secrets = Secrets::kReadableValues});
  if (line.show) {
    out << effective_config(config);
  } else {
    const auto secrets = secrets_file(line.config_path).string();
    if (everybody_reads(secrets)) {
      out << fmt::format("{0}: warning: every user can read it; run chmod o-r {0}\n", secrets);
    }
    for (const auto& stream : config.streams) {
      for (const auto& problem :
           {transcoder::local_problem(stream.media.source.uri), never_reached(stream)}) {
        if (problem.empty()) continue;
        out << fmt::format("{}: warning: stream {}: {}\n", line.config_path, stream.media.name,
                           transcoder::without_secrets(problem));
      }
    }
    out << fmt::format("{}: ok ({}{})\n", line.config_path, summary(config),
                       additions(line.config_path));
  }
}

}  // namespace app
