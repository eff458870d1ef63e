#include "app/tcp/socket_warnings.h"

#include <system_error>

#include "base/log.h"

namespace app {

void SocketWarnings::failed(const std::string& option, const std::string& reason) {
  {
    std::lock_guard lock{mutex_};
    if (counts_[option]++ > 0) return;
  }
  base::log::warning("socket_option_ignored", {{"option", option}, {"reason", reason}});
}

void SocketWarnings::failed(const std::string& option, const std::string& hint, int error) {
  failed(option, std::generic_category().message(error) + ": " + hint);
}

std::map<std::string, std::uint64_t> SocketWarnings::counts() const {
  std::lock_guard lock{mutex_};
  return counts_;
}

}  // namespace app
