#include "base/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

namespace base::log {

namespace {

/// sd-daemon(3): a "<N>" prefix gives a line on stderr its journal priority.
std::string_view journal_prefix(Level level) {
  switch (level) {
    case Level::kDebug:
      return "<7>";
    case Level::kInfo:
      return "<6>";
    case Level::kWarning:
      return "<4>";
    case Level::kError:
      return "<3>";
  }
  return "<6>";
}

spdlog::level::level_enum spdlog_level(Level level) {
  switch (level) {
    case Level::kDebug:
      return spdlog::level::debug;
    case Level::kInfo:
      return spdlog::level::info;
    case Level::kWarning:
      return spdlog::level::warn;
    case Level::kError:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

/// systemd.exec(5): JOURNAL_STREAM names the journal's stream by device and inode. Children inherit
/// it, whatever their stderr is, so the two are compared.
bool stderr_is_journal() {
  const char* stream = std::getenv("JOURNAL_STREAM");
  struct stat status {};
  if (stream == nullptr || ::fstat(STDERR_FILENO, &status) != 0) return false;
  return stream == fmt::format("{}:{}", status.st_dev, status.st_ino);
}

const bool to_journal = stderr_is_journal();

spdlog::logger& logger() {
  static const auto instance = [] {
    auto created = std::make_shared<spdlog::logger>(
        "symcast", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    created->set_pattern(to_journal ? "%v" : "%Y-%m-%dT%H:%M:%S.%e %l %v");
    return created;
  }();
  return *instance;
}

bool needs_quotes(std::string_view value) {
  return value.empty() || value.find_first_of(" \t\r\n\"=") != std::string_view::npos;
}

void append_quoted(std::string& line, std::string_view value) {
  line += '"';
  for (const char c : value) {
    if (c == '"' || c == '\\') line += '\\';
    if (c == '\n') {
      line += "\\n";
    } else if (c != '\r') {
      line += c;
    }
  }
  line += '"';
}

}  // namespace

Field::Field(std::string_view key, double value)
    : key_{key}, value_{fmt::format("{:.6g}", value)} {}

void set_level(Level level) { logger().set_level(spdlog_level(level)); }

void write(Level level, std::string_view event, Fields fields) {
  if (!logger().should_log(spdlog_level(level))) return;
  std::string line{to_journal ? journal_prefix(level) : std::string_view{}};
  line += event;
  for (const auto& field : fields) {
    line += ' ';
    line += field.key();
    line += '=';
    if (needs_quotes(field.value())) {
      append_quoted(line, field.value());
    } else {
      line += field.value();
    }
  }
  logger().log(spdlog_level(level), line);
}

}  // namespace base::log
