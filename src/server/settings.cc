#include "server/settings.h"

#include <algorithm>
#include <cstdint>

#include "base/cpus.h"
#include "base/memory.h"

namespace server {

base::ByteCount unread_limit(const Settings& settings) {
  if (settings.max_unread.bytes() > 0) return settings.max_unread;
  constexpr std::int64_t kLeastUnread = 16 << 20;
  constexpr std::int64_t kMostUnread = 512 << 20;
  return base::ByteCount{std::clamp(base::usable_memory().bytes() / 16, kLeastUnread, kMostUnread)};
}

std::vector<Network> all_proxies(const Settings& settings) {
  auto all = settings.trusted_proxies;
  all.insert(all.end(), settings.proxy_protocol.begin(), settings.proxy_protocol.end());
  return all;
}

int loop_count(const Settings& settings) {
  return settings.threads > 0 ? settings.threads : base::cpu_threads();
}

}  // namespace server
