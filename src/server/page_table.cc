#include "server/page_table.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/log.h"

namespace server {

namespace {

Page plain(int status, const std::string& reason) {
  return {.status = status, .body = reason + "\n"};
}

}  // namespace

void PageTable::add(std::string path, Access access, std::function<Page(const Request&)> handler) {
  pages_.insert_or_assign(std::move(path), Entry{access, std::move(handler)});
}

Page PageTable::get(const Request& request) const {
  const auto page = pages_.find(request.path);
  if (page == pages_.end()) return plain(404, "there is no such page or stream");
  const auto& [access, handler] = page->second;
  if (access == Access::kAdmin && !is_admin(request.address)) {
    return plain(403, request.address.text() + " is not in admin.allow");
  }
  try {
    return handler(request);
  } catch (const std::exception& error) {  // the last frame before libevent's C code
    base::log::error("page_failed", {{"path", request.path}, {"error", error.what()}});
    return plain(500, "the page could not be made");
  }
}

bool PageTable::is_admin(const Address& address) const {
  return std::any_of(admin_allow_.begin(), admin_allow_.end(),
                     [&](const Network& network) { return network.contains(address); });
}

}  // namespace server
