#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "server/address.h"
#include "server/server.h"

namespace server {

/// Everything served that is not a stream: path → page. Filled before the loops start, then only
/// read, on any loop thread.
class PageTable {
 public:
  explicit PageTable(std::vector<Network> admin_allow) : admin_allow_{std::move(admin_allow)} {}

  void add(std::string path, Access access, std::function<Page(const Request&)> handler);
  bool contains(std::string_view path) const { return pages_.find(path) != pages_.end(); }

  /// 403 for an admin page outside admin_allow, 404 for an unknown path, 500 for a page that threw.
  Page get(const Request& request) const;

 private:
  struct Entry {
    Access access;
    std::function<Page(const Request&)> handler;
  };

  bool is_admin(const Address& address) const;

  const std::vector<Network> admin_allow_;
  std::map<std::string, Entry, std::less<>> pages_;
};

}  // namespace server
