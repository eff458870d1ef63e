#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "server/admin_access.h"
#include "server/page.h"

namespace server {

/// Pages by their paths. Filled before the loops start, then only read, on any loop thread.
class PageTable {
 public:
  explicit PageTable(AdminAccess admin) : admin_{std::move(admin)} {}

  void add(std::string path, Access access, PageHandler handler);
  bool contains(std::string_view path) const { return pages_.find(path) != pages_.end(); }
  bool is_for_admins(std::string_view path) const {
    const auto page = pages_.find(path);
    return page != pages_.end() && page->second.access == Access::kAdmin;
  }

  /// Returns the page, or 404 for an unknown path, 403 for an admin page that the client may not
  /// read, 500 if the page's handler threw.
  Page get(const PageRequest& request) const;

 private:
  struct Entry {
    Access access;
    PageHandler handler;
  };

  const AdminAccess admin_;
  std::map<std::string, Entry, std::less<>> pages_;
};

}  // namespace server
