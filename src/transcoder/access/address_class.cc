#include "transcoder/access/address_class.h"

#include <algorithm>
#include <array>
#include <vector>

namespace transcoder::access {

namespace {

struct Block {
  std::string_view network;
  std::string_view what;
};

constexpr std::string_view kThisMachine = "an address of this machine";
constexpr std::string_view kPrivate = "a private address";
constexpr std::string_view kLinkLocal = "a link-local address";
constexpr std::string_view kGroup = "a multicast address";
constexpr std::string_view kReserved = "a reserved address";

/// IANA's IPv4 and IPv6 special-purpose address registries (RFC 6890; as of 2025-10), those that
/// are not globally reachable, and multicast. IPv6 addresses outside 2000::/3 are not public
/// anyway; their blocks here only have a name. AS112 (RFC 7534) and AMT (RFC 7450) are reachable,
/// but no media is there.
constexpr std::array kBlocks{
    Block{"0.0.0.0/8", kThisMachine},
    Block{"10.0.0.0/8", kPrivate},
    Block{"100.64.0.0/10", kPrivate},
    Block{"127.0.0.0/8", kThisMachine},
    Block{"169.254.0.0/16", kLinkLocal},
    Block{"172.16.0.0/12", kPrivate},
    Block{"192.0.0.0/24", kReserved},
    Block{"192.0.2.0/24", kReserved},
    Block{"192.31.196.0/24", kReserved},
    Block{"192.52.193.0/24", kReserved},
    Block{"192.88.99.0/24", kReserved},
    Block{"192.168.0.0/16", kPrivate},
    Block{"192.175.48.0/24", kReserved},
    Block{"198.18.0.0/15", kReserved},
    Block{"198.51.100.0/24", kReserved},
    Block{"203.0.113.0/24", kReserved},
    Block{"224.0.0.0/4", kGroup},
    Block{"240.0.0.0/4", kReserved},
    Block{"::/128", kThisMachine},
    Block{"::1/128", kThisMachine},
    Block{"2001::/23", kReserved},
    Block{"2001:db8::/32", kReserved},
    Block{"2620:4f:8000::/48", kReserved},
    Block{"3fff::/20", kReserved},
    Block{"fc00::/7", kPrivate},
    Block{"fe80::/10", kLinkLocal},
    Block{"ff00::/8", kGroup},
};

struct SpecialNetwork {
  base::Network network;
  std::string_view what;
};

const std::vector<SpecialNetwork>& special_networks() {
  static const auto all = [] {
    std::vector<SpecialNetwork> result;
    for (const auto& [network, what] : kBlocks) {
      result.push_back({*base::Network::parse(network), what});
    }
    return result;
  }();
  return all;
}

bool is_global_unicast(const base::Address& address) {
  static const auto all = *base::Network::parse("2000::/3");
  return address.is_ipv4() || all.contains(address);
}

}  // namespace

std::string_view special_purpose(const base::Address& given) {
  const auto address = given.translated();
  const auto& blocks = special_networks();
  const auto block =
      std::ranges::find_if(blocks, [&](const auto& b) { return b.network.contains(address); });
  if (block != blocks.end()) return block->what;
  return is_global_unicast(address) ? "" : kReserved;
}

bool is_this_machine(const base::Address& address) {
  return special_purpose(address) == kThisMachine;
}

bool is_one_host(const base::Address& given) {
  const auto address = given.translated();
  const auto any = base::Address{};
  const auto text = address.text();
  return special_purpose(address) != kGroup && text != "0.0.0.0" && text != "255.255.255.255" &&
         address != any;
}

}  // namespace transcoder::access
