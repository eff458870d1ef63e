#include "server/places_log.h"

#include <cstddef>
#include <utility>

#include "base/log.h"

namespace server {

namespace {

const char* hint(Places::Full full) {
  return full == Places::Full::kInAll
             ? "raise server.max_viewers if the machine and its network can serve more"
             : "raise server.max_viewers_per_address if many people share an address";
}

}  // namespace

void PlacesLog::report(const Places::State& state, base::Time now) {
  report(refused_, "viewers_refused", state.refused, now);
  report(evicted_, "viewers_evicted", state.evicted, now);
}

void PlacesLog::report(Lines& lines, const char* event,
                       const std::array<Places::Count, Places::kFullCount>& counts,
                       base::Time now) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto full = static_cast<Places::Full>(i);
    const auto news = counts[i].times - std::exchange(lines[i].seen, counts[i].times);
    const auto times = lines[i].period.count(now, news);
    if (!times) continue;
    base::log::warning(event, {{"limit", name(full)},
                               {"times", *times},
                               {"last", counts[i].last.text()},
                               {"hint", hint(full)}});
  }
}

}  // namespace server
