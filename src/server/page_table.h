#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "server/admin_list.h"
#include "server/page.h"

namespace server {

/// Everything served that is not a stream: path → page. Filled before the loops start, then only
/// read, on any loop thread.
class PageTable {
 public:
  explicit PageTable(AdminList admins) : admins_{std::move(admins)} {}

  void add(std::string path, Access access, PageHandler handler);
  bool contains(std::string_view path) const { return pages_.find(path) != pages_.end(); }

  /// 403 for an admin page outside the list, 404 for an unknown path, 500 for a page that threw.
  Page get(const PageRequest& request) const;

 private:
  struct Entry {
    Access access;
    PageHandler handler;
  };

  const AdminList admins_;
  std::map<std::string, Entry, std::less<>> pages_;
};

}  // namespace server
