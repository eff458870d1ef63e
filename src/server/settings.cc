#include "server/settings.h"

#include "base/cpus.h"

namespace server {

std::vector<Network> all_proxies(const Settings& settings) {
  auto all = settings.trusted_proxies;
  all.insert(all.end(), settings.proxy_protocol.begin(), settings.proxy_protocol.end());
  return all;
}

int loop_count(const Settings& settings) {
  return settings.threads > 0 ? settings.threads : base::cpu_threads();
}

}  // namespace server
