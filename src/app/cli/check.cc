#include "app/cli/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ostream>

#include "app/config/config_text.h"
#include "transcoder/ingest/source_check.h"

namespace app {

namespace {

std::string summary(const Config& config) {
  std::vector<std::string> names;
  for (const auto& stream : config.streams) names.push_back(stream.media.name);
  std::vector<std::string> endpoints;
  for (const auto& endpoint : config.server.listen) endpoints.push_back(endpoint.text());
  return fmt::format("{} stream{}: {}; on {}", names.size(), names.size() == 1 ? "" : "s",
                     fmt::join(names, ", "), fmt::join(endpoints, ", "));
}

}  // namespace

void check(const CommandLine& line, std::ostream& out) {
  if (line.reference) {
    out << reference_config();
    return;
  }
  const auto config = load_config(line.config_path);
  if (line.show) {
    out << effective_config(config);
  } else {
    for (const auto& stream : config.streams) {
      const auto problem = transcoder::local_problem(stream.media.source.uri);
      if (problem.empty()) continue;
      out << fmt::format("{}: warning: stream {}: {}\n", line.config_path, stream.media.name,
                         problem);
    }
    out << fmt::format("{}: ok ({})\n", line.config_path, summary(config));
  }
}

}  // namespace app
