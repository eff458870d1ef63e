#include "server/settings.h"

#include <algorithm>
#include <thread>

namespace server {

std::vector<Network> all_proxies(const Settings& settings) {
  auto all = settings.trusted_proxies;
  all.insert(all.end(), settings.proxy_protocol.begin(), settings.proxy_protocol.end());
  return all;
}

int loop_count(const Settings& settings) {
  const auto cpus = static_cast<int>(std::thread::hardware_concurrency());
  return std::max(1, settings.threads > 0 ? settings.threads : cpus);
}

}  // namespace server
