#include "server/settings.h"

#include <algorithm>
#include <thread>

namespace server {

int loop_count(const Settings& settings) {
  const auto cpus = static_cast<int>(std::thread::hardware_concurrency());
  return std::max(1, settings.threads > 0 ? settings.threads : cpus);
}

}  // namespace server
