#include <arpa/inet.h>
#include <netdb.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "fuzz/access_sources.h"
#include "fuzz/check.h"
#include "fuzz/target.h"
#include "transcoder/access/request_judge.h"

// A source's process that sends anything on its two channels, and name servers that answer
// as they like. The first byte chooses the source, each later one an action. The places that may be
// granted are stated once more, independently, in access_sources.h.

namespace {

using namespace std::chrono_literals;
using namespace transcoder;
using access::RequestJudge;
using access::Transport;
using fuzz::Bytes16;
using fuzz::Reach;
using fuzz::Source;
using Call = RequestJudge::Call;
using Origin = RequestJudge::Origin;

enum class Action : std::uint8_t { kRaw, kConnect, kSend, kBind, kOpen, kLookUp, kWait, kFlood };
constexpr unsigned kActions = 8;
constexpr std::uint8_t kSendToKind = 2;  // the first byte of wire::SendTo
constexpr int kMaxMessages = 4000;       // more than may be sent at once

constexpr std::array<std::string_view, 12> kHosts{
    "a.example", "A.Example.", "cam.lan",     "cdn.lan",    "localhost",    "x.localhost",
    "10.0.0.7",  "0x7f.1",     "0177.0.0.01", "2130706433", "::ffff:127.1", "other.example"};
constexpr std::array<std::string_view, 10> kSchemes{"http", "HTTPS", "file", "rtsp", "rtspt",
                                                    "udp",  "srt",   "fd",   "rtmp", "data"};
constexpr std::array<std::string_view, 6> kPaths{
    "/srv/media/a.ts", "/srv/more/x/../b.ts", "/srv/more/../../etc/passwd",
    "/srv/moreover/a", "/etc/passwd",         "/srv/media/../media/a.ts"};
constexpr std::array<std::string_view, 14> kAddresses{"1.1.1.1",
                                                      "10.0.0.7",
                                                      "10.0.0.8",
                                                      "127.0.0.1",
                                                      "169.254.169.254",
                                                      "224.0.0.1",
                                                      "0.0.0.0",
                                                      "::1",
                                                      "::",
                                                      "64:ff9b::7f00:1",
                                                      "2002:a00:7::",
                                                      "fd00::1",
                                                      "2606:4700::1",
                                                      "255.255.255.255"};

template <std::size_t kCount>
std::string text_in(fuzz::Input& input, const std::array<std::string_view, kCount>& known) {
  const auto choice = input.take<std::uint8_t>();
  if (choice < 128) return std::string{known[choice % kCount]};
  return std::string{input.take_bytes(choice - 128)};
}

base::Address address_in(fuzz::Input& input) {
  const auto choice = input.take<std::uint8_t>();
  if (choice < 128) return *base::Address::parse(kAddresses[choice % kAddresses.size()]);
  Bytes16 bytes{};
  constexpr std::array<std::string_view, 4> kPrefixes{
      std::string_view{"\0\0\0\0\0\0\0\0\0\0\xff\xff", 12},
      std::string_view{"\0\x64\xff\x9b\0\0\0\0\0\0\0\0", 12}, std::string_view{"\x20\x02", 2}, ""};
  const auto prefix = kPrefixes[choice % 4];
  std::ranges::copy(prefix, bytes.begin());
  const auto rest = input.take_bytes(prefix.size() == 0 ? 16 : 4);
  std::ranges::copy(rest, bytes.begin() + static_cast<std::ptrdiff_t>(prefix.size()));
  sockaddr_in6 raw{.sin6_family = AF_INET6};
  std::memcpy(&raw.sin6_addr, bytes.data(), bytes.size());
  sockaddr_storage storage{};
  std::memcpy(&storage, &raw, sizeof raw);
  return base::Address::of(storage);
}

/// A call as the kernel reads it, without the code under test.
struct Destination {
  Bytes16 address{};
  std::uint16_t port = 0;
};

Destination destination(const access::CallAddress& call) {
  Destination to;
  if (call.raw.ss_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &call.raw, sizeof v4);
    to.address = fuzz::mapped(&v4.sin_addr);
    to.port = ntohs(v4.sin_port);
  } else {
    sockaddr_in6 v6{};
    std::memcpy(&v6, &call.raw, sizeof v6);
    std::memcpy(to.address.data(), &v6.sin6_addr, sizeof v6.sin6_addr);
    to.port = ntohs(v6.sin6_port);
  }
  return to;
}

Bytes16 bytes_of(const wire::SocketAddress& raw) {
  access::CallAddress call;
  std::memcpy(&call.raw, raw.data(), std::min(raw.size(), sizeof call.raw));
  return destination(call).address;
}

wire::SocketAddress wire_address(const base::Endpoint& endpoint, bool mapped) {
  auto raw = endpoint.socket_address();
  if (mapped && raw.ss_family == AF_INET) {  // the kernel sends it as IPv4
    sockaddr_in v4{};
    std::memcpy(&v4, &raw, sizeof v4);
    sockaddr_in6 v6{.sin6_family = AF_INET6, .sin6_port = v4.sin_port};
    const auto bytes = fuzz::mapped(&v4.sin_addr);
    std::memcpy(&v6.sin6_addr, bytes.data(), bytes.size());
    std::memcpy(&raw, &v6, sizeof v6);
  }
  const auto* const begin = reinterpret_cast<const std::uint8_t*>(&raw);
  return {begin, begin + (raw.ss_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6))};
}

class Process {
 public:
  explicit Process(const Source& source)
      : reach_{source}, judge_{access::access_rules(fuzz::settings(source)), history_} {}

  /// Returns false once the channels have ended.
  bool act(Action action, fuzz::Input& input) {
    switch (action) {
      case Action::kRaw: {
        const auto kind = input.take<std::uint8_t>();
        const auto text = input.take_bytes(input.take<std::uint8_t>());
        origin_ = kind % 2 == 0 ? Origin::kAccess : Origin::kLookup;
        socket_ = socket_of(kind / 2);
        message_.assign(text.begin(), text.end());
        return send(input);
      }
      case Action::kConnect:
        return call(input, [](auto address) { return wire::Connect{std::move(address)}; });
      case Action::kSend:
        return call(input, [](auto address) { return wire::SendTo{std::move(address), {1, 2}}; });
      case Action::kBind:
        return call(input, [](auto address) { return wire::Bind{std::move(address)}; });
      case Action::kOpen: {
        wire::MayOpen uri{.scheme = text_in(input, kSchemes), .host = text_in(input, kHosts)};
        uri.port = input.take<std::uint16_t>();
        uri.path = text_in(input, kPaths);
        return ask(std::move(uri), Origin::kAccess, std::nullopt, input);
      }
      case Action::kLookUp:
        return ask(wire::Lookup{text_in(input, kHosts)}, Origin::kLookup, std::nullopt, input);
      case Action::kWait:
        now_ += input.take<std::uint16_t>() * 1ms;
        return true;
      case Action::kFlood:
        return flood(input);
    }
    return true;
  }

 private:
  static RequestJudge::Socket socket_of(unsigned kind) {
    switch (kind % 4) {
      case 0:
        return base::Result<Transport>{Transport::kTcp};
      case 1:
        return base::Result<Transport>{Transport::kUdp};
      case 2:
        return base::Result<Transport>{base::Error{"a file"}};
      default:
        return std::nullopt;
    }
  }

  template <typename Make>
  bool call(fuzz::Input& input, Make make) {
    const auto kind = input.take<std::uint8_t>();
    const base::Endpoint to{address_in(input), input.take<std::uint16_t>()};
    return ask(make(wire_address(to, kind >= 128)), Origin::kAccess, socket_of(kind), input);
  }

  bool ask(wire::AccessRequest request, Origin origin, RequestJudge::Socket socket,
           fuzz::Input& input) {
    origin_ = origin;
    socket_ = std::move(socket);
    try {
      message_ = wire::encode(std::move(request));
    } catch (const std::length_error&) {
      return true;  // an honest process does not send it either
    }
    return send(input);
  }

  /// The last message again and again. Of datagrams many are allowed.
  bool flood(fuzz::Input& input) {
    const bool datagrams = !message_.empty() && message_.front() == kSendToKind;
    for (int times = (datagrams ? 16 : 1) * input.take<std::uint8_t>(); times > 0; --times) {
      if (!message_.empty() && !send(input)) return false;
    }
    return true;
  }

  bool send(fuzz::Input& input) {
    if (++messages_ > kMaxMessages) return false;
    const auto request = wire::decode_access_request(message_);
    auto verdict = judge_.judge(origin_, message_, socket_, now_);
    if (std::holds_alternative<RequestJudge::Broken>(verdict)) return false;
    CHECK(request,
          std::string_view{reinterpret_cast<const char*>(message_.data()), message_.size()});
    if (const auto* const made = std::get_if<Call>(&verdict)) {
      CHECK(origin_ == Origin::kAccess && socket_ && *socket_);
      check_call(*request, *made, **socket_);
    } else if (const auto* const lookup = std::get_if<RequestJudge::LookUp>(&verdict)) {
      CHECK(origin_ == Origin::kLookup && !socket_);
      look_up(*lookup, input);
    } else {
      check_reply(*request, std::get<RequestJudge::Reply>(verdict));
    }
    return true;
  }

  /// The call is the one asked for, is permitted, and comes not too often.
  void check_call(const wire::AccessRequest& request, const Call& made, Transport transport) {
    now_ += made.wait;
    const auto to = destination(made.address);
    const auto elapsed = now_ - kBegin;
    if (const auto* const connect = std::get_if<wire::Connect>(&request)) {
      CHECK(made.kind == Call::Kind::kConnect);
      check_same(connect->address, made.address);
      if (transport == Transport::kTcp) {
        CHECK(reach_.may_connect(to.address, to.port), made.address.endpoint.text());
        reach_.connected(to.address);
      } else {
        CHECK(reach_.may_send(to.address, to.port), made.address.endpoint.text());
      }
      CHECK(++connects_ <= 20 + elapsed / 200ms, connects_, elapsed.count());
    } else if (const auto* const sent = std::get_if<wire::SendTo>(&request)) {
      CHECK(made.kind == Call::Kind::kSend && transport == Transport::kUdp);
      CHECK(made.payload == sent->payload, made.payload.size());
      check_same(sent->address, made.address);
      CHECK(reach_.may_send(to.address, to.port), made.address.endpoint.text());
      CHECK(++datagrams_ <= 3000 + elapsed / 333us, datagrams_, elapsed.count());
    } else {
      CHECK(made.kind == Call::Kind::kBind);
      check_same(std::get<wire::Bind>(request).address, made.address);
      CHECK(reach_.may_bind(transport == Transport::kUdp, to.port), made.address.endpoint.text());
    }
  }

  static void check_same(const wire::SocketAddress& asked, const access::CallAddress& made) {
    CHECK(asked.size() >= made.size, asked.size(), made.size);
    CHECK(std::memcmp(asked.data(), &made.raw, made.size) == 0);
  }

  void check_reply(const wire::AccessRequest& request, const RequestJudge::Reply& reply) {
    CHECK(std::holds_alternative<wire::Refused>(reply.answer) == reply.refusal.has_value());
    if (reply.refusal) {
      CHECK(!reply.refusal->reason.empty());
      CHECK(wire::encode(reply.answer).size() <= 1024);
    }
    if (!std::holds_alternative<wire::Done>(reply.answer)) return;
    const auto* const uri = std::get_if<wire::MayOpen>(&request);
    CHECK(uri != nullptr);
    CHECK(reach_.may_open(uri->scheme, uri->host, static_cast<std::uint16_t>(uri->port), uri->path),
          uri->scheme, uri->host, uri->port, uri->path);
  }

  void look_up(const RequestJudge::LookUp& lookup, fuzz::Input& input) {
    now_ += lookup.wait;
    CHECK(++lookups_ <= 5 + (now_ - kBegin) / 1s, lookups_);
    access::Resolver::Answer answer;
    if (auto fixed = reach_.fixed_answer(lookup.name); !fixed.empty()) {
      answer.addresses = std::move(fixed);
    } else {
      const auto count = input.take<std::uint8_t>() % 20u;
      if (count == 19) answer.error = EAI_AGAIN;
      for (unsigned i = 0; i < count % 19; ++i) answer.addresses.push_back(address_in(input));
    }
    std::vector<Bytes16> offered;
    for (const auto& address : answer.addresses) {
      offered.push_back(bytes_of(wire_address({.address = address}, true)));
    }
    if (answer.error == 0) reach_.answered(lookup.name, offered);
    const auto reply = judge_.found(lookup.name, std::move(answer));
    const auto* const found = std::get_if<wire::Found>(&reply.answer);
    if (found == nullptr) return;
    CHECK(!found->addresses.empty() && found->addresses.size() <= wire::kMaxFound);
    for (const auto& address : found->addresses) {
      const auto bytes = bytes_of(address);
      CHECK(std::ranges::find(offered, bytes) != offered.end());
      CHECK(reach_.may_find(lookup.name, bytes), lookup.name, fuzz::text(bytes));
    }
  }

  static constexpr base::Time kBegin{1h};
  base::Time now_ = kBegin;
  Reach reach_;
  const std::shared_ptr<access::HostHistory> history_ = std::make_shared<access::HostHistory>();
  RequestJudge judge_;
  Origin origin_ = Origin::kAccess;
  RequestJudge::Socket socket_;
  std::vector<std::uint8_t> message_;  ///< the last one
  int messages_ = 0;
  int connects_ = 0;
  int lookups_ = 0;
  int datagrams_ = 0;
};

}  // namespace

FUZZ_TARGET(ingest_access) {
  const auto& sources = fuzz::sources();
  Process process{sources[input.take<std::uint8_t>() % sources.size()]};
  while (!input.empty()) {
    const auto action = static_cast<Action>(input.take<std::uint8_t>() % kActions);
    if (!process.act(action, input)) return;
  }
}
