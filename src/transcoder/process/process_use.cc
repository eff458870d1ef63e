#include "transcoder/process/process_use.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <sstream>

namespace transcoder {

namespace {

/// The number of the line "NAME:   NUMBER"; 0 if there is none.
std::int64_t number_of(std::string_view status, std::string_view name) {
  const auto line = status.find(name);
  if (line == std::string_view::npos) return 0;
  auto text = status.substr(line + name.size());
  text.remove_prefix(std::min(text.find_first_not_of("\t "), text.size()));
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

ProcessUse parse_status(std::string_view status) {
  constexpr int kKib = 1024;  // "kB" there
  return {.memory =
              base::ByteCount{(number_of(status, "\nRssAnon:") + number_of(status, "\nRssShmem:")) *
                              kKib},
          .threads = static_cast<int>(number_of(status, "\nThreads:"))};
}

std::optional<ProcessUse> use_of(pid_t pid) {
  std::ostringstream status;
  status << std::ifstream{fmt::format("/proc/{}/status", pid)}.rdbuf();
  clockid_t clock{};
  timespec time{};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &time) != 0) {
    return std::nullopt;
  }
  auto use = parse_status(status.str());
  use.cpu = std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec};
  return use;
}

}  // namespace transcoder
