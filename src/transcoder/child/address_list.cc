#include "transcoder/child/address_list.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

namespace transcoder {

namespace {

struct Kind {
  int type;
  int protocol;
};

/// In the order of glibc.
constexpr std::array kKinds{Kind{SOCK_STREAM, IPPROTO_TCP}, Kind{SOCK_DGRAM, IPPROTO_UDP},
                            Kind{SOCK_RAW, 0}};

/// One element of a list, in one piece of memory.
struct Node {
  addrinfo info;
  sockaddr_storage address;
};

sockaddr_storage address_of(in_addr v4) {
  sockaddr_storage storage{};
  const sockaddr_in address{.sin_family = AF_INET, .sin_addr = v4};
  std::memcpy(&storage, &address, sizeof address);
  return storage;
}

sockaddr_storage address_of(const in6_addr& v6, std::uint32_t scope = 0) {
  sockaddr_storage storage{};
  const sockaddr_in6 address{.sin6_family = AF_INET6, .sin6_addr = v6, .sin6_scope_id = scope};
  std::memcpy(&storage, &address, sizeof address);
  return storage;
}

std::optional<std::uint32_t> number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// An address in numbers, in any notation of inet_aton(3), with a zone or not.
std::optional<sockaddr_storage> numeric(const std::string& host) {
  in_addr v4{};
  if (::inet_aton(host.c_str(), &v4) != 0) return address_of(v4);
  const auto percent = host.find('%');
  in6_addr v6{};
  if (::inet_pton(AF_INET6, host.substr(0, percent).c_str(), &v6) != 1) return std::nullopt;
  if (percent == std::string_view::npos) return address_of(v6);
  const auto zone = host.substr(percent + 1);
  return address_of(v6, number(zone).value_or(::if_nametoindex(zone.c_str())));
}

/// The addresses of no host: to listen on all, or this machine.
std::vector<sockaddr_storage> local_addresses(bool passive) {
  if (passive) return {address_of(in_addr{INADDR_ANY}), address_of(in6addr_any)};
  return {address_of(in6addr_loopback), address_of(in_addr{htonl(INADDR_LOOPBACK)})};
}

int addresses_of(const char* host, int flags, const LookUp& look_up,
                 std::vector<sockaddr_storage>& addresses) {
  if (host == nullptr) {
    addresses = local_addresses((flags & AI_PASSIVE) != 0);
  } else if (const auto known = numeric(host)) {
    addresses = {*known};
  } else if ((flags & AI_NUMERICHOST) != 0) {
    return EAI_NONAME;
  } else {
    return look_up(host, addresses);
  }
  return 0;
}

Node* make_node(const sockaddr_storage& address, std::uint16_t port, const Kind& kind) {
  auto* const node = static_cast<Node*>(std::calloc(1, sizeof(Node)));
  if (node == nullptr) return nullptr;
  node->address = address;
  const bool ipv4 = address.ss_family == AF_INET;
  const auto network_port = htons(port);
  std::memcpy(reinterpret_cast<char*>(&node->address) + offsetof(sockaddr_in, sin_port),
              &network_port, sizeof network_port);  // at the same place for IPv6
  node->info.ai_family = address.ss_family;
  node->info.ai_socktype = kind.type;
  node->info.ai_protocol = kind.protocol;
  node->info.ai_addrlen = ipv4 ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  node->info.ai_addr = reinterpret_cast<sockaddr*>(&node->address);
  return node;
}

/// The kinds of sockets that the hints ask for.
std::vector<Kind> kinds_of(const addrinfo& hints) {
  std::vector<Kind> kinds;
  for (const auto& kind : kKinds) {
    if (hints.ai_socktype != 0 && hints.ai_socktype != kind.type) continue;
    if (hints.ai_protocol != 0 && kind.protocol != 0 && hints.ai_protocol != kind.protocol)
      continue;
    kinds.push_back({kind.type, hints.ai_protocol != 0 ? hints.ai_protocol : kind.protocol});
  }
  return kinds;
}

}  // namespace

int find_addresses(const char* host, const char* service, const addrinfo* given, addrinfo** found,
                   const LookUp& look_up) {
  const addrinfo hints = given != nullptr ? *given : addrinfo{};
  if (host == nullptr && service == nullptr) return EAI_NONAME;
  const auto port = service != nullptr ? number(service) : 0;
  if (!port || *port > 65535) return EAI_SERVICE;
  const auto kinds = kinds_of(hints);
  if (kinds.empty()) return EAI_SOCKTYPE;
  std::vector<sockaddr_storage> addresses;
  if (const int error = addresses_of(host, hints.ai_flags, look_up, addresses)) return error;
  addrinfo* first = nullptr;
  addrinfo** next = &first;
  for (const auto& address : addresses) {
    if (hints.ai_family != AF_UNSPEC && hints.ai_family != address.ss_family) continue;
    for (const auto& kind : kinds) {
      auto* const node = make_node(address, static_cast<std::uint16_t>(*port), kind);
      if (node == nullptr) break;
      *next = &node->info;
      next = &node->info.ai_next;
    }
  }
  if (first == nullptr) return EAI_NONAME;
  if ((hints.ai_flags & AI_CANONNAME) != 0 && host != nullptr) first->ai_canonname = ::strdup(host);
  *found = first;
  return 0;
}

void free_addresses(addrinfo* list) {
  while (list != nullptr) {
    auto* const node = list;  // is the beginning of its Node
    list = list->ai_next;
    std::free(node->ai_canonname);
    std::free(node);
  }
}

}  // namespace transcoder
