#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/units.h"

/// Structured log: one event per line, `event key=value key="two words"`. Thread-safe.
/// Written to stderr; under systemd with the journal's level prefix, otherwise with time and level.
/// By the thread that logs, or by a Writer's.
namespace base::log {

enum class Level { kDebug, kInfo, kWarning, kError };

/// One key=value pair; numbers, rates and durations print with their unit in the key's own base.
class Field {
 public:
  Field(std::string_view key, std::string_view value) : key_{key}, value_{value} {}
  Field(std::string_view key, const char* value) : key_{key}, value_{value} {}
  Field(std::string_view key, const std::string& value) : key_{key}, value_{value} {}
  Field(std::string_view key, bool value) : key_{key}, value_{value ? "true" : "false"} {}
  template <std::integral T>
  requires(!std::same_as<T, bool>) Field(std::string_view key, T value)
      : key_{key}, value_{std::to_string(value)} {}
  Field(std::string_view key, double value);
  Field(std::string_view key, BitRate value) : Field{key, value.bps()} {}
  Field(std::string_view key, Duration value) : Field{key, seconds(value)} {}

  std::string_view key() const { return key_; }
  const std::string& value() const { return value_; }

 private:
  std::string_view key_;
  std::string value_;
};

using Fields = std::initializer_list<Field>;

/// While it lives its own thread writes the lines, in order: who logs waits for nobody, even when
/// stderr is stuck. When too many lines wait the oldest are dropped. Its end writes what waits, for
/// `patience` at most. One at a time.
class Writer {
 public:
  // Two for each of 10,000 viewers (server.max_viewers by default) who leave at once; 8 MB.
  static constexpr std::size_t kLines = 20'000;
  static constexpr Duration kPatience = std::chrono::seconds{1};

  explicit Writer(std::size_t lines = kLines, Duration patience = kPatience);
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

 private:
  const Duration patience_;
};

/// By the Writer that lives, and because stderr did not take them.
std::uint64_t lines_dropped();

void set_level(Level level);
void write(Level level, std::string_view event, Fields fields);

inline void debug(std::string_view event, Fields fields = {}) {
  write(Level::kDebug, event, fields);
}
inline void info(std::string_view event, Fields fields = {}) { write(Level::kInfo, event, fields); }
inline void warning(std::string_view event, Fields fields = {}) {
  write(Level::kWarning, event, fields);
}
inline void error(std::string_view event, Fields fields = {}) {
  write(Level::kError, event, fields);
}

}  // namespace base::log
