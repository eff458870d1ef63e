#include "base/memory.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <string>

#include "base/control_group.h"

namespace base {

namespace {

ByteCount least_limit(const ControlGroup& group, const char* file, ByteCount most) {
  for (const auto& level : group.levels()) {
    std::ifstream limit{level / file};
    std::string line;
    std::getline(limit, line);
    most = std::min(most, parse_memory_max(line).value_or(most));
  }
  return most;
}

}  // namespace

ByteCount usable_memory() {
  const ByteCount machine{std::int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE)};
  return std::min(least_limit(ControlGroup::own(), "memory.max", machine),
                  least_limit(ControlGroup::legacy("memory"), "memory.limit_in_bytes", machine));
}

std::optional<ByteCount> parse_memory_max(std::string_view text) {
  std::int64_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  if (error != std::errc{} || end != text.data() + text.size() || bytes <= 0) return {};
  return ByteCount{bytes};
}

}  // namespace base
