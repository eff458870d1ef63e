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
  /// `senders`: proxies that begin each connection with a PROXY protocol header. `trusted`: see
  /// client_of(); it has to outlive this object.
  Peer(const Address& address, const std::vector<Network>& senders,
       const std::vector<Network>& trusted)
      : address_{address}, trusted_{trusted}, begun_{!contains(senders, address)} {}

  const Address& address() const { return address_; }
  /// Whether the header has been read, or none is due.
  bool begun() const { return begun_; }
  /// Reads the header from the first `bytes`. Returns those that follow it, or nullopt if it is
  /// missing or malformed. REQUIRES: !begun()
  std::optional<std::string> begin(std::string_view bytes);
  /// The client of which the header spoke.
  const std::optional<Address>& forwarded_client() const { return forwarded_client_; }

  Client client(const HttpRequest& request) const;

 private:
  const Address address_;
  const std::vector<Network>& trusted_;
  bool begun_;
  std::string first_;      ///< until begun_
  bool nameless_ = false;  ///< the header had no address
  std::optional<Address> forwarded_client_;
};

}  // namespace server
