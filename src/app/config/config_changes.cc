#include "app/config/config_changes.h"

#include <algorithm>
#include <string_view>

#include "app/config/config_keys.h"

namespace app {

namespace {

// Keys, and sections, that a reload changes while the server runs.
constexpr std::string_view kLive[] = {
    "log.level", "metrics.max_viewers", "rate.", "control.", "itcp.", "tcp."};

template <typename Target>
void add_changes(std::vector<std::string>& out, const std::vector<Section<Target>>& sections,
                 const Target& running, const Target& wanted) {
  for (const auto& section : sections) {
    for (const auto& key : section.keys) {
      const auto is_prefix = [&](std::string_view live) { return key.path.starts_with(live); };
      if (std::ranges::any_of(kLive, is_prefix)) continue;
      if (key.write(running) != key.write(wanted)) out.push_back(key.path);
    }
  }
}

bool same_route(const NetworkRule& a, const NetworkRule& b) {
  return a.network == b.network && a.initcwnd == b.initcwnd;
}

}  // namespace

std::vector<std::string> keys_for_restart(const Config& running, const Config& wanted) {
  std::vector<std::string> out;
  add_changes(out, daemon_sections(), running, wanted);
  if (!std::ranges::equal(route_rules(running), route_rules(wanted), same_route)) {
    out.emplace_back("tcp.network (initcwnd)");
  }
  return out;
}

std::vector<std::string> keys_for_restart(const StreamConfig& running, const StreamConfig& wanted) {
  std::vector<std::string> out;
  add_changes(out, identity_sections(), running, wanted);
  add_changes(out, stream_sections(), running, wanted);
  return out;
}

}  // namespace app
