#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/address.h"
#include "server/client.h"

namespace server {

/// The other end of a connection: a client, or a proxy that speaks for one. Used on its loop
/// thread.
class Peer {
 public:
  /// `trusted` has to outlive this object: proxies that may begin with a PROXY protocol header.
  Peer(const Address& address, const std::vector<Network>& trusted)
      : address_{address}, trusted_{trusted}, begun_{!contains(trusted, address)} {}

  const Address& address() const { return address_; }
  /// Whether the header, if there is one, has been read.
  bool begun() const { return begun_; }
  /// Reads the header from the first `bytes`. Returns those that follow it, or nullopt if it is
  /// malformed. REQUIRES: !begun()
  std::optional<std::string> begin(std::string_view bytes);
  /// The client of which the header spoke.
  const std::optional<Address>& told() const { return told_; }

  Client client(const HttpRequest& request) const {
    return client_of(request, address_, told_, trusted_);
  }

 private:
  const Address address_;
  const std::vector<Network>& trusted_;
  bool begun_;
  std::string first_;  ///< until begun_
  std::optional<Address> told_;
};

}  // namespace server
