#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/address.h"
#include "transcoder/settings.h"

/// Sources, and the places that each may reach, stated by hand, without the code that decides.
namespace fuzz {

/// An IPv6 address, or an IPv4 address in it (::ffff:a.b.c.d), in network order.
using Bytes16 = std::array<std::uint8_t, 16>;

Bytes16 mapped(const void* v4);
std::string text(const Bytes16& address);

struct Source {
  enum class Datagrams { kNowhere, kOwnHost, kAnyHost };

  std::string uri;
  std::vector<std::string> allow{};  ///< source.allow
  std::vector<std::string> schemes{};
  /// The hosts in the URI, with the port; 0 for any.
  std::map<std::string, std::uint16_t> own{};
  bool connects = false;
  Datagrams datagrams = Datagrams::kNowhere;
  bool binds_any_port = false;
  std::set<std::uint16_t> binds{};
  bool listens = false;                 ///< also for connections
  std::vector<std::string> networks{};  ///< of `allow`
  std::vector<std::string> hosts{};     ///< the same
  std::vector<std::string> folders{};   ///< the same
  std::string file{};                   ///< its own
};

const std::vector<Source>& sources();
transcoder::SourceSettings settings(const Source& source);

/// The places that a source may reach now, after the answers of name servers. A value.
class Reach {
 public:
  explicit Reach(const Source& source);

  /// The answer of every name server for an address or this machine; empty for other names.
  std::vector<base::Address> fixed_answer(const std::string& name) const;
  void answered(const std::string& name, const std::vector<Bytes16>& addresses);
  void connected(const Bytes16& address) { connected_.insert(address); }

  bool may_find(const std::string& name, const Bytes16& address) const;
  bool may_connect(const Bytes16& address, std::uint16_t port) const;
  bool may_send(const Bytes16& address, std::uint16_t port) const;
  bool may_bind(bool datagrams, std::uint16_t port) const;
  bool may_open(const std::string& scheme, const std::string& host, std::uint16_t port,
                const std::string& path) const;

 private:
  bool may_reach(const Bytes16& address, std::uint16_t port) const;
  bool is_permitted(const Bytes16& address) const;
  bool may_read(const std::string& path) const;

  const Source source_;
  std::vector<base::Network> networks_;
  std::map<std::string, std::set<Bytes16>> own_;      ///< now, by name
  std::map<std::string, std::set<Bytes16>> allowed_;  ///< the same
  std::map<std::string, bool> began_public_;          ///< own names: no private address at first
  std::set<Bytes16> connected_;
};

}  // namespace fuzz
