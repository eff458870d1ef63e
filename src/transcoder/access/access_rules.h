#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/address.h"
#include "transcoder/settings.h"

namespace transcoder::access {

/// A host that the source's URI names. `port` is 0 if any will do.
struct OwnHost {
  std::string name;  ///< as host_name() writes it
  std::uint16_t port = 0;

  bool operator==(const OwnHost&) const = default;
};

/// Where a source's datagrams may go.
enum class Datagrams {
  kNowhere,
  kOwnHost,  ///< also hosts that it has a connection to: RTSP's RTCP
  kAnyHost,  ///< that has an ephemeral port: publishers, which come from anywhere
};

/// The sockets and places that one source needs, by its URI and source.allow: facts, which
/// AddressPolicy judges by. A value.
struct AccessRules {
  std::string scheme;                ///< of the URI
  std::vector<std::string> schemes;  ///< that it may open
  std::vector<OwnHost> own_hosts;
  std::string own_file;  ///< absolute path; empty if it is no file

  bool connections = false;  ///< whether it makes TCP connections
  Datagrams datagrams = Datagrams::kNowhere;
  bool binds_any_port = false;             ///< that needs no privilege, on any address
  std::vector<std::uint16_t> bound_ports;  ///< that it may bind as well

  std::vector<base::Network> networks;
  std::vector<std::string> hosts;    ///< as host_name() writes them
  std::vector<std::string> folders;  ///< absolute paths

  bool operator==(const AccessRules&) const = default;
};

AccessRules access_rules(const SourceSettings& source);

}  // namespace transcoder::access
