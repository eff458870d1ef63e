#include "segments/utc_time.h"

#include <fmt/chrono.h>

namespace segments {

std::string utc_text(std::chrono::system_clock::time_point time) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(time);
  const auto rest = std::chrono::floor<std::chrono::milliseconds>(time - whole);
  return fmt::format("{:%FT%T}.{:03}Z", whole, rest.count());
}

}  // namespace segments
