#include "transcoder/access/address_policy.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <utility>

#include "transcoder/access/address_class.h"
#include "transcoder/access/scheme.h"

namespace transcoder::access {

namespace {

/// Ports from here on need no privilege (ip(7)), and are those of senders.
constexpr std::uint16_t kFirstFreePort = 1024;

/// Hosts whose connections are remembered. A source with more is no camera.
constexpr std::size_t kMaxConnected = 64;

/// An address in any notation that a C library understands: "10.0.0.1", "0x7f.1", "2130706433",
/// "fe80::1%eth0".
std::optional<base::Address> literal(const std::string& host) {
  if (const auto address = base::Address::parse(host.substr(0, host.find('%')))) return *address;
  in_addr v4{};
  if (::inet_aton(host.c_str(), &v4) == 0) return std::nullopt;
  sockaddr_storage storage{};
  const sockaddr_in socket_address{.sin_family = AF_INET, .sin_addr = v4};
  std::memcpy(&storage, &socket_address, sizeof socket_address);
  return base::Address::of(storage);
}

std::vector<base::Address> loopback() {
  return {*base::Address::parse("127.0.0.1"), *base::Address::parse("::1")};
}

/// The addresses of a name that is never looked up; none for others.
std::vector<base::Address> known_addresses(const std::string& name) {
  if (is_localhost(name)) return loopback();
  if (const auto address = literal(name)) return {*address};
  return {};
}

/// Whether a URI of the scheme names a host to connect to. Others name an address to receive at, or
/// a peer of datagrams, which the sockets show.
bool names_server(std::string_view scheme) {
  return scheme != "udp" && scheme != "rtp" && scheme != "srt";
}

bool has(const std::vector<std::string>& list, std::string_view value) {
  return std::ranges::find(list, value) != list.end();
}

bool has(const std::map<std::string, std::vector<base::Address>>& lists,
         const base::Address& address) {
  return std::ranges::any_of(lists, [&](const auto& entry) {
    return std::ranges::find(entry.second, address) != entry.second.end();
  });
}

Refusal refused(const base::Endpoint& at, std::string reason) {
  return {.place = at.text(), .reason = std::move(reason)};
}

}  // namespace

std::string Place::text() const {
  if (host.empty()) return scheme == "file" ? "file://" + path : scheme + ":" + path;
  const auto bracketed = host.find(':') == std::string_view::npos ? host : "[" + host + "]";
  return fmt::format("{}://{}{}{}", scheme, bracketed, port != 0 ? fmt::format(":{}", port) : "",
                     path);
}

std::string Refusal::text() const {
  return fmt::format("it names {}, which it may not open: {}", place, reason);
}

AddressPolicy::AddressPolicy(AccessRules rules, std::shared_ptr<HostHistory> history)
    : rules_{std::move(rules)}, history_{std::move(history)} {
  for (const auto& host : rules_.own_hosts) own_[host.name] = known_addresses(host.name);
  for (const auto& name : rules_.hosts) allowed_[name] = known_addresses(name);
}

AddressPolicy::Verdict AddressPolicy::may_open(const Place& place) const {
  const auto scheme = scheme_of(place.scheme + ":/");
  std::string reason;
  if (!has(rules_.schemes, scheme)) {
    reason = rules_.schemes.empty()
                 ? "it opens no URIs"
                 : fmt::format("it opens only {}:", fmt::join(rules_.schemes, ":, "));
  } else if (scheme == "file") {
    if (!is_permitted_file(place.path)) {
      reason = "neither its own file nor in a folder that source.allow names";
    }
  } else if (!place.host.empty() && names_server(scheme)) {
    const auto port = place.port != 0 ? place.port : default_port(scheme);
    const auto name = host_name(place.host);
    const auto address = literal(name);
    reason = address ? objection(*address, port) : objection_to_name(name, port);
  }
  if (reason.empty()) return std::nullopt;
  return Refusal{.place = place.text(), .reason = std::move(reason)};
}

AddressPolicy::Verdict AddressPolicy::looked_up(const std::string& given, Addresses& addresses) {
  const auto name = host_name(given);
  if (has(rules_.hosts, name)) {
    allowed_[name] = addresses;
    return std::nullopt;
  }
  std::string reason;
  const auto not_public = [](const auto& address) { return !special_purpose(address).empty(); };
  const auto remove = [&](const auto& unwanted) {
    std::erase_if(addresses, [&](const auto& address) {
      if (is_permitted(address) || !unwanted(address)) return false;
      reason = objection(address, 0);
      return true;
    });
  };
  if (!is_own_name(name)) {
    remove(not_public);
  } else {
    const bool now_private = std::ranges::any_of(addresses, not_public);
    if (!history_->may_be_private(name, now_private)) {
      remove(not_public);
      if (!reason.empty()) reason += "; the name had public addresses before";
    }
    own_[name] = addresses;
  }
  if (!addresses.empty() || reason.empty()) return std::nullopt;
  return Refusal{.place = name, .reason = std::move(reason)};
}

AddressPolicy::Verdict AddressPolicy::connect(Transport transport, const base::Endpoint& to) {
  if (transport == Transport::kUdp) return send(to);
  if (!rules_.connections) {
    return refused(to, fmt::format("a source from {}: makes no connections", rules_.scheme));
  }
  if (auto reason = objection(to.address, to.port); !reason.empty()) {
    return refused(to, std::move(reason));
  }
  if (connected_.size() < kMaxConnected) connected_.insert(to.address);
  return std::nullopt;
}

AddressPolicy::Verdict AddressPolicy::send(const base::Endpoint& to) const {
  if (rules_.datagrams == Datagrams::kNowhere) {
    return refused(to, fmt::format("a source from {}: sends no datagrams", rules_.scheme));
  }
  if (!is_one_host(to.address)) {
    return refused(to, fmt::format("{} is not the address of one host", to.address.text()));
  }
  if (has(own_, to.address) || connected_.contains(to.address)) return std::nullopt;
  if (rules_.datagrams == Datagrams::kOwnHost) {
    return refused(to, "its datagrams go only to its own host");
  }
  if (to.port < kFirstFreePort) {
    return refused(to, fmt::format("no sender has a port below {}", kFirstFreePort));
  }
  return std::nullopt;
}

AddressPolicy::Verdict AddressPolicy::bind(Transport transport, const base::Endpoint& at) const {
  const bool may_listen = transport == Transport::kUdp || rules_.scheme == "gst";
  const bool any_port = at.port == 0 || at.port >= kFirstFreePort;
  if (may_listen && rules_.binds_any_port && any_port) return std::nullopt;
  if (may_listen && std::ranges::find(rules_.bound_ports, at.port) != rules_.bound_ports.end()) {
    return std::nullopt;
  }
  return refused(at, fmt::format("a source from {}: does not listen there", rules_.scheme));
}

bool AddressPolicy::is_own_name(std::string_view name) const {
  return std::ranges::find(rules_.own_hosts, name, &OwnHost::name) != rules_.own_hosts.end();
}

/// Other ports of this machine are other services.
bool AddressPolicy::has_allowed_port(std::string_view own_name, std::uint16_t port) const {
  return std::ranges::any_of(rules_.own_hosts, [&](const auto& own) {
    return own.name == own_name && (own.port == 0 || own.port == port);
  });
}

bool AddressPolicy::is_own(const base::Address& address, std::uint16_t port) const {
  return std::ranges::any_of(own_, [&](const auto& entry) {
    const auto& [name, addresses] = entry;
    return std::ranges::find(addresses, address) != addresses.end() &&
           (!is_this_machine(address) || has_allowed_port(name, port));
  });
}

bool AddressPolicy::is_permitted(const base::Address& address) const {
  return base::contains(rules_.networks, address) ||
         base::contains(rules_.networks, address.translated());
}

std::string AddressPolicy::objection(const base::Address& address, std::uint16_t port) const {
  const auto what = special_purpose(address);
  if (what.empty() || is_permitted(address) || is_own(address, port) || has(allowed_, address)) {
    return {};
  }
  if (has(own_, address)) return fmt::format("port {} of this machine is not its own", port);
  return fmt::format("{} is {}, which source.allow does not name", address.text(), what);
}

std::string AddressPolicy::objection_to_name(const std::string& name, std::uint16_t port) const {
  if (!is_localhost(name) || has(rules_.hosts, name)) return {};
  if (!is_own_name(name)) return name + " is this machine, which source.allow does not name";
  return has_allowed_port(name, port) ? ""
                                      : fmt::format("port {} of this machine is not its own", port);
}

bool AddressPolicy::is_permitted_file(const std::string& given) const {
  const auto path = std::filesystem::path{given}.lexically_normal().string();
  const auto inside = [&](const std::string& folder) {
    return path.starts_with(folder) && path[folder.size()] == '/';
  };
  return path == rules_.own_file || std::ranges::any_of(rules_.folders, inside);
}

}  // namespace transcoder::access
