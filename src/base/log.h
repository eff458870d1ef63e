#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/units.h"

/// Structured log: one event per line, `event key=value key="two words"`. Thread-safe.
/// Lines go to stderr, under systemd with the journal's level prefix, otherwise with time and
/// level. The logging thread writes them itself unless a Writer exists.
namespace base::log {

enum class Level { kDebug, kInfo, kWarning, kError };

/// One key=value pair. Values carry no unit: rates print in bits per second, durations in seconds.
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

/// While a Writer exists, its thread writes the lines in order, so a logging thread never waits,
/// even if stderr is stuck. When the queue is full the oldest lines are dropped. The destructor
/// writes the queued lines, for `flush_timeout` at most. At most one Writer may exist.
class Writer {
 public:
  // Two lines for each of 10,000 viewers (server.max_viewers by default) that leave at once; 8 MB.
  static constexpr std::size_t kMaxQueuedLines = 20'000;
  // A stuck stderr delays the exit by this much; a slow one loses the lines not written by then.
  static constexpr Duration kFlushTimeout = std::chrono::seconds{1};

  explicit Writer(std::size_t max_lines = kMaxQueuedLines, Duration flush_timeout = kFlushTimeout);
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

 private:
  const Duration flush_timeout_;
};

/// The wall time of a monotonic time, for a field: "2026-01-31T12:03:04.567+01:00", in the local
/// zone like the lines' own times.
std::string wall_time(Time time);

/// Lines the present Writer dropped, and lines that could not be written to stderr.
std::uint64_t lines_dropped();

/// Lines that a LogLimit has left out. The next line of their kind has the field left_out=NUMBER.
std::uint64_t lines_left_out();

void set_level(Level level);  ///< lines below `level` are not written; kInfo at first
void write(Level level, std::string_view event, Fields fields);

/// Calls `to` on the logging thread instead of writing a line, for the rest of the process. Call it
/// before other threads log.
void redirect(std::function<void(Level, std::string_view event, Fields)> to);

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
