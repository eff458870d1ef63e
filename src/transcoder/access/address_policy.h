#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/address.h"
#include "transcoder/access/access_rules.h"
#include "transcoder/access/host_history.h"

namespace transcoder::access {

enum class Transport { kTcp, kUdp };

/// The place that a URI names, in parts.
struct Place {
  std::string scheme;
  std::string host;
  std::uint16_t port = 0;  ///< 0 for the scheme's own
  std::string path;
  std::string text() const;
};

/// Something that a source may not open.
struct Refusal {
  std::string place;   ///< "file:///etc/passwd", "10.0.0.7:80"
  std::string reason;  ///< "10.0.0.7 is a private address; ..."
  std::string text() const;
};

/// The one judge of what a source opens. Allowed are the schemes of its own family, the addresses
/// of its own host, public addresses, and what source.allow names. The addresses of a host are
/// those that the last lookup of its name found in this try. For one try and one thread; no I/O.
class AddressPolicy {
 public:
  using Verdict = std::optional<Refusal>;  ///< nullopt if it is allowed

  AddressPolicy(AccessRules rules, std::shared_ptr<HostHistory> history);

  /// A URI, before anything is done with it. Its host may have any notation.
  Verdict may_open(const Place& place) const;

  /// The answer of a name server. Removes the addresses that this name may not have; refuses if
  /// none is left.
  Verdict looked_up(const std::string& name, std::vector<base::Address>& addresses);

  /// connect(2). Datagrams may then go to the host of a TCP connection.
  Verdict connect(Transport transport, const base::Endpoint& to);
  /// sendto(2) of a datagram.
  Verdict send(const base::Endpoint& to) const;
  Verdict bind(Transport transport, const base::Endpoint& at) const;

 private:
  using Addresses = std::vector<base::Address>;

  bool is_own_name(std::string_view name) const;
  bool is_own(const base::Address& address, std::uint16_t port) const;
  bool has_allowed_port(std::string_view own_name, std::uint16_t port) const;
  bool is_permitted(const base::Address& address) const;
  /// Why the address is neither public nor permitted; empty if it is.
  std::string objection(const base::Address& address, std::uint16_t port) const;
  std::string objection_to_name(const std::string& name, std::uint16_t port) const;
  bool is_permitted_file(const std::string& path) const;

  const AccessRules rules_;
  const std::shared_ptr<HostHistory> history_;
  std::map<std::string, Addresses> own_;      ///< by name
  std::map<std::string, Addresses> allowed_;  ///< of source.allow's hosts, by name
  std::set<base::Address> connected_;
};

}  // namespace transcoder::access
