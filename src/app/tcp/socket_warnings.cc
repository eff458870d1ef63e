#include "app/tcp/socket_warnings.h"

#include <system_error>

#include "base/log.h"

namespace app {

void SocketWarnings::failed(const std::string& what, const std::string& reason) {
  {
    std::lock_guard lock{mutex_};
    if (counts_[what]++ > 0) return;
  }
  base::log::warning("socket_option_ignored", {{"option", what}, {"reason", reason}});
}

void SocketWarnings::failed(const std::string& what, const std::string& hint, int error) {
  failed(what, std::generic_category().message(error) + ": " + hint);
}

std::map<std::string, std::uint64_t> SocketWarnings::counts() const {
  std::lock_guard lock{mutex_};
  return counts_;
}

}  // namespace app
