#include "server/page_table.h"

#include <exception>
#include <utility>

#include "base/log.h"

namespace server {

namespace {

Page plain(int status, const std::string& reason) {
  return {.status = status, .body = SharedBytes::of(reason + "\n")};
}

}  // namespace

void PageTable::add(std::string path, Access access, PageHandler handler) {
  pages_.insert_or_assign(std::move(path), Entry{access, std::move(handler)});
}

Page PageTable::get(const PageRequest& request) const {
  const auto page = pages_.find(request.path);
  if (page == pages_.end()) return plain(404, "there is no such page or stream: check the URL");
  const auto& [access, handler] = page->second;
  if (access == Access::kAdmin) {
    if (const auto refusal = admin_.refusal(request.client)) return plain(403, *refusal);
  }
  try {
    return handler(request);
  } catch (const std::exception& error) {  // must not reach libevent's C code
    base::log::error("page_failed", {{"path", request.path}, {"error", error.what()}});
    return plain(500, "the server could not produce this page: see its log");
  }
}

}  // namespace server
