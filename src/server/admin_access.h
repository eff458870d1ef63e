#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "server/address.h"
#include "server/client.h"

namespace server {

/// A name of this server in URLs, without a port, in lower case. A value.
struct HostName {
  std::string name;
  static base::Result<HostName> parse(std::string_view text);
  const std::string& text() const { return name; }
  bool operator==(const HostName&) const = default;
};

/// The rule for admin pages: clients within admin.allow may read them, unless an unknown proxy
/// stands between, or a page of another site asks. The latter is what a browser does whose user
/// visits that site, also if its name leads to this server (DNS rebinding). A value.
class AdminAccess {
 public:
  /// `hosts`: names by which administrators reach the server. IP addresses, "localhost" and the
  /// name of this machine need not be listed, because no stranger can make a site of these names.
  AdminAccess(std::vector<Network> allow, std::vector<HostName> hosts);

  bool permits(const Client& client) const { return !refusal(client); }
  /// Why the client may not read admin pages, and what to do; nullopt if it may.
  std::optional<std::string> refusal(const Client& client) const;

 private:
  bool listed(std::string_view host) const;
  bool is_ours(std::string_view host) const;

  std::vector<Network> allow_;
  std::vector<HostName> hosts_;
  std::string machine_;
};

}  // namespace server
