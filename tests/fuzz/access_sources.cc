#include "fuzz/access_sources.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

namespace fuzz {

namespace {

using transcoder::AllowedPlace;

constexpr std::array<std::uint8_t, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

std::string lower(std::string_view text) {
  std::string out{text};
  for (auto& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  return out;
}

std::string normal(std::string_view name) {
  if (name.ends_with('.')) name.remove_suffix(1);
  return lower(name);
}

bool is_local_name(std::string_view name) {
  return name == "localhost" || name.ends_with(".localhost");
}

/// The IPv4 address that packets to this one end up at, if they do.
std::optional<std::uint32_t> v4_of(const Bytes16& address) {
  const auto at = [&](std::size_t from) {
    return std::uint32_t{address[from]} << 24 | std::uint32_t{address[from + 1]} << 16 |
           std::uint32_t{address[from + 2]} << 8 | std::uint32_t{address[from + 3]};
  };
  constexpr std::array<std::uint8_t, 12> kNat64{0, 0x64, 0xff, 0x9b};
  if (std::equal(kMapped.begin(), kMapped.end(), address.begin())) return at(12);
  if (std::equal(kNat64.begin(), kNat64.end(), address.begin())) return at(12);
  if (address[0] == 0x20 && address[1] == 0x02) return at(2);
  return std::nullopt;
}

bool in(std::uint32_t address, std::uint32_t network, int bits) {
  return (address ^ network) >> (32 - bits) == 0;
}

bool is_group(const Bytes16& address) {
  const auto v4 = v4_of(address);
  return v4 ? in(*v4, 0xe0000000, 4) : address[0] == 0xff;
}

bool is_unspecified(const Bytes16& address) {
  const auto v4 = v4_of(address);
  return v4 ? *v4 == 0 : address == Bytes16{};
}

bool is_broadcast(const Bytes16& address) { return v4_of(address) == 0xffffffff; }

bool is_this_machine(const Bytes16& address) {
  if (const auto v4 = v4_of(address)) return in(*v4, 0x7f000000, 8) || in(*v4, 0, 8);
  Bytes16 loopback{};
  loopback[15] = 1;
  return address == loopback || address == Bytes16{};
}

/// An address that is certainly no host of the internet.
bool is_local(const Bytes16& address) {
  if (is_group(address) || is_broadcast(address) || is_this_machine(address)) return true;
  if (const auto v4 = v4_of(address)) {
    return in(*v4, 0x0a000000, 8) || in(*v4, 0xac100000, 12) || in(*v4, 0xc0a80000, 16) ||
           in(*v4, 0xa9fe0000, 16) || in(*v4, 0x64400000, 10) || in(*v4, 0xf0000000, 4) ||
           in(*v4, 0xc0000200, 24) || in(*v4, 0xc6120000, 15);
  }
  // All but 2000::/3, and the blocks of protocols and documentation in it.
  if (address[0] >> 5 != 1) return true;
  return address[0] == 0x20 && address[1] == 0x01 &&
         (address[2] < 2 || (address[2] == 0x0d && address[3] == 0xb8));
}

/// One of the numbers of an IPv4 address in C's notation: 10, 012 or 0xa.
std::optional<std::uint64_t> c_number(std::string_view text) {
  unsigned base = 10;
  if (text.size() > 1 && text[0] == '0') {
    base = text[1] == 'x' || text[1] == 'X' ? 16 : 8;
    text.remove_prefix(base == 16 ? 2 : 1);
  }
  std::uint64_t value = 0;
  for (const char c : text) {
    const unsigned digit = c >= '0' && c <= '9'   ? static_cast<unsigned>(c - '0')
                           : c >= 'a' && c <= 'f' ? static_cast<unsigned>(c - 'a' + 10)
                           : c >= 'A' && c <= 'F' ? static_cast<unsigned>(c - 'A' + 10)
                                                  : 16;
    if (digit >= base || value > 0xffffffff) return std::nullopt;
    value = value * base + digit;
  }
  return text.empty() ? std::nullopt : std::optional{value};
}

/// One to four numbers, of which the last fills the rest (inet_aton(3)).
std::optional<std::uint32_t> c_address(std::string_view text) {
  std::vector<std::uint64_t> parts;
  for (bool more = true; more;) {
    const auto dot = text.find('.');
    more = dot != text.npos;
    const auto part = c_number(text.substr(0, dot));
    if (!part || parts.size() == 4) return std::nullopt;
    parts.push_back(*part);
    text.remove_prefix(more ? dot + 1 : text.size());
  }
  std::uint64_t value = parts.back();
  if (value >> (8 * (5 - parts.size())) != 0) return std::nullopt;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    if (parts[i] > 255) return std::nullopt;
    value |= parts[i] << (24 - 8 * i);
  }
  return static_cast<std::uint32_t>(value);
}

/// The address that a host's name is, in any notation.
std::optional<Bytes16> literal(const std::string& host) {
  if (const auto v4 = c_address(host)) {
    const auto raw = htonl(*v4);
    return mapped(&raw);
  }
  Bytes16 v6{};
  const auto bare = host.substr(0, host.find('%'));
  return ::inet_pton(AF_INET6, bare.c_str(), v6.data()) == 1 ? std::optional{v6} : std::nullopt;
}

std::set<Bytes16> known(const std::string& name) {
  Bytes16 v6{};
  v6[15] = 1;
  const auto v4 = htonl(0x7f000001);
  if (is_local_name(name)) return {mapped(&v4), v6};
  if (const auto address = literal(name)) return {*address};
  return {};
}

base::Address address_of(const Bytes16& bytes) { return *base::Address::parse(text(bytes)); }

/// Without empty parts and those that are dots.
std::vector<std::string> steps(std::string_view path) {
  std::vector<std::string> result;
  while (!path.empty()) {
    const auto step = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(step.size() + 1, path.size()));
    if (step == ".." && !result.empty()) result.pop_back();
    if (!step.empty() && step != "." && step != "..") result.emplace_back(step);
  }
  return result;
}

std::uint16_t default_port(std::string_view scheme) {
  if (scheme == "http") return 80;
  if (scheme == "https" || scheme == "rtmps") return 443;
  if (scheme.starts_with("rtsps")) return 322;
  if (scheme.starts_with("rtsp")) return 554;
  return scheme.starts_with("rtmp") ? 1935 : 0;
}

bool has(const std::map<std::string, std::set<Bytes16>>& hosts, const Bytes16& address) {
  return std::ranges::any_of(hosts, [&](const auto& h) { return h.second.contains(address); });
}

}  // namespace

Bytes16 mapped(const void* v4) {
  Bytes16 address{};
  std::ranges::copy(kMapped, address.begin());
  std::memcpy(&address[kMapped.size()], v4, 4);
  return address;
}

std::string text(const Bytes16& address) {
  std::array<char, INET6_ADDRSTRLEN> buffer{};
  return ::inet_ntop(AF_INET6, address.data(), buffer.data(), buffer.size());
}

const std::vector<Source>& sources() {
  using Datagrams = Source::Datagrams;
  static const std::vector<std::string> web{"http", "https"};
  static const std::vector<std::string> rtsp{"rtsp",  "rtspu",  "rtspt",  "rtsph",  "rtsp-sdp",
                                             "rtsps", "rtspsu", "rtspst", "rtspsh", "udp"};
  static const std::vector<std::string> rtmp{"rtmp", "rtmps", "rtmpt", "rtmpe", "rtmpte", "rtmpts"};
  static const std::vector<Source> all{
      {.uri = "http://a.example/live.m3u8",
       .schemes = web,
       .own = {{"a.example", 80}},
       .connects = true},
      {.uri = "https://10.0.0.7:8080/x",
       .schemes = web,
       .own = {{"10.0.0.7", 8080}},
       .connects = true},
      {.uri = "http://localhost:8000/",
       .schemes = web,
       .own = {{"localhost", 8000}},
       .connects = true},
      {.uri = "http://CAM.lan./",
       .allow = {"CDN.lan.", "fd00::/8"},
       .schemes = web,
       .own = {{"cam.lan", 80}},
       .connects = true,
       .networks = {"fd00::/8"},
       .hosts = {"cdn.lan"}},
      {.uri = "rtsp://cam.lan/1",
       .allow = {"10.0.0.0/8"},
       .schemes = rtsp,
       .own = {{"cam.lan", 554}},
       .connects = true,
       .datagrams = Datagrams::kOwnHost,
       .binds_any_port = true,
       .networks = {"10.0.0.0/8"}},
      {.uri = "rtmp://a.example/app",
       .schemes = rtmp,
       .own = {{"a.example", 1935}},
       .connects = true},
      {.uri = "srt://cam.lan:9000",
       .schemes = {"srt"},
       .own = {{"cam.lan", 9000}},
       .datagrams = Datagrams::kOwnHost,
       .binds_any_port = true},
      {.uri = "srt://:900", .schemes = {"srt"}, .datagrams = Datagrams::kAnyHost, .binds = {900}},
      {.uri = "udp://239.0.0.1:5000", .schemes = {"udp", "rtp"}, .binds = {5000}},
      {.uri = "rtp://0.0.0.0:504",
       .schemes = {"udp", "rtp"},
       .datagrams = Datagrams::kAnyHost,
       .binds = {504, 505}},
      {.uri = "file:///srv/media/a.ts",
       .allow = {"/srv/more/"},
       .schemes = {"file"},
       .folders = {"/srv/more"},
       .file = "/srv/media/a.ts"},
      {.uri = "gst:souphttpsrc location=http://10.0.0.7/a ! decodebin",
       .schemes = web,
       .own = {{"10.0.0.7", 80}},
       .connects = true,
       .datagrams = Datagrams::kAnyHost,
       .binds_any_port = true,
       .listens = true}};
  return all;
}

transcoder::SourceSettings settings(const Source& source) {
  transcoder::SourceSettings settings{.uri = source.uri};
  for (const auto& place : source.allow) settings.allow.push_back(*AllowedPlace::parse(place));
  return settings;
}

Reach::Reach(const Source& source) : source_{source} {
  for (const auto& network : source_.networks) {
    networks_.push_back(*base::Network::parse(network));
  }
  for (const auto& [name, port] : source_.own) own_[name] = known(name);
  for (const auto& name : source_.hosts) allowed_[name] = known(name);
}

std::vector<base::Address> Reach::fixed_answer(const std::string& name) const {
  std::vector<base::Address> result;
  for (const auto& address : known(normal(name))) result.push_back(address_of(address));
  return result;
}

void Reach::answered(const std::string& given, const std::vector<Bytes16>& addresses) {
  const auto name = normal(given);
  if (const auto host = allowed_.find(name); host != allowed_.end()) {
    host->second = {addresses.begin(), addresses.end()};
    return;
  }
  const auto own = own_.find(name);
  if (own == own_.end()) return;
  began_public_.try_emplace(name, std::ranges::none_of(addresses, is_local));
  own->second.clear();
  for (const auto& address : addresses) {
    if (may_find(name, address)) own->second.insert(address);
  }
}

/// A name that had only public addresses at first never leads to another one.
bool Reach::may_find(const std::string& given, const Bytes16& address) const {
  const auto name = normal(given);
  if (allowed_.contains(name) || !is_local(address) || is_permitted(address)) return true;
  return own_.contains(name) && !began_public_.at(name);
}

bool Reach::is_permitted(const Bytes16& address) const {
  const auto v4 = v4_of(address);
  if (base::contains(networks_, address_of(address))) return true;
  const auto raw = htonl(v4.value_or(0));
  return v4 && base::contains(networks_, address_of(mapped(&raw)));
}

bool Reach::may_reach(const Bytes16& address, std::uint16_t port) const {
  if (!is_local(address) || is_permitted(address) || has(allowed_, address)) return true;
  return std::ranges::any_of(own_, [&](const auto& host) {
    const auto own_port = source_.own.at(host.first);
    return host.second.contains(address) &&
           (!is_this_machine(address) || own_port == 0 || own_port == port);
  });
}

bool Reach::may_connect(const Bytes16& address, std::uint16_t port) const {
  return source_.connects && may_reach(address, port);
}

bool Reach::may_send(const Bytes16& address, std::uint16_t port) const {
  using Datagrams = Source::Datagrams;
  if (source_.datagrams == Datagrams::kNowhere) return false;
  if (is_group(address) || is_broadcast(address) || is_unspecified(address)) return false;
  if (has(own_, address) || connected_.contains(address)) return true;
  return source_.datagrams == Datagrams::kAnyHost && port >= 1024;
}

bool Reach::may_bind(bool datagrams, std::uint16_t port) const {
  if (!datagrams && !source_.listens) return false;
  return source_.binds.contains(port) || (source_.binds_any_port && (port == 0 || port >= 1024));
}

bool Reach::may_open(const std::string& given, const std::string& host, std::uint16_t port,
                     const std::string& path) const {
  const auto scheme = lower(given);
  if (std::ranges::find(source_.schemes, scheme) == source_.schemes.end()) return false;
  if (scheme == "file") return may_read(path);
  if (scheme == "udp" || scheme == "rtp" || scheme == "srt") return true;
  const auto to = port != 0 ? port : default_port(scheme);
  const auto name = normal(host);
  if (const auto address = literal(name)) return may_reach(*address, to);
  if (!is_local_name(name) || allowed_.contains(name)) return true;
  const auto own = source_.own.find(name);
  return own != source_.own.end() && (own->second == 0 || own->second == to);
}

bool Reach::may_read(const std::string& path) const {
  const auto wanted = steps(path);
  const auto begins = [&](const std::string& folder) {
    const auto above = steps(folder);
    return wanted.size() > above.size() && std::equal(above.begin(), above.end(), wanted.begin());
  };
  return path.starts_with('/') &&
         (wanted == steps(source_.file) || std::ranges::any_of(source_.folders, begins));
}

}  // namespace fuzz
