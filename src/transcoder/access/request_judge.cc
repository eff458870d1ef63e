#include "transcoder/access/request_judge.h"

#include <netdb.h>

#include <cerrno>
#include <chrono>
#include <utility>

namespace transcoder::access {

namespace {

using namespace std::chrono_literals;

/// A source of many segments makes one or two connections per second. Those of a redirection
/// without end, which makes a thousand, wait.
const TokenBucket kConnects{20, 200ms};
const TokenBucket kLookups{5, 1s};
/// SRT acknowledges a hundred times per second, and asks again for each lost packet.
const TokenBucket kDatagrams{3000, 333us};

wire::SocketAddress bytes_of(const base::Address& address) {
  const auto raw = base::Endpoint{.address = address}.socket_address();
  const auto* const begin = reinterpret_cast<const std::uint8_t*>(&raw);
  return {begin, begin + (address.is_ipv4() ? sizeof(sockaddr_in) : sizeof(sockaddr_in6))};
}

RequestJudge::Reply failed(int error) { return {wire::Failed{error}, std::nullopt}; }

RequestJudge::Reply refused(const Refusal& refusal) {
  return {wire::Refused{refusal.text()}, refusal};
}

RequestJudge::Verdict broken(std::string how) { return RequestJudge::Broken{std::move(how)}; }

}  // namespace

RequestJudge::RequestJudge(const AccessRules& rules, std::shared_ptr<HostHistory> history)
    : policy_{rules, std::move(history)},
      connects_{kConnects},
      lookups_{kLookups},
      datagrams_{kDatagrams} {}

RequestJudge::Verdict RequestJudge::judge(Origin origin, std::span<const std::uint8_t> message,
                                          const Socket& socket, base::Time now) {
  auto request = wire::decode_access_request(message);
  if (!request) return broken(request.error());
  const auto* const lookup = std::get_if<wire::Lookup>(&*request);
  const auto* const uri = std::get_if<wire::MayOpen>(&*request);
  if (socket && (lookup != nullptr || uri != nullptr)) return broken("a descriptor without need");
  if (lookup != nullptr) {
    if (origin != Origin::kLookup) return broken("a lookup out of place");
    return LookUp{lookup->name, lookups_.take(now)};
  }
  if (origin == Origin::kLookup) return broken("not a lookup");
  if (uri != nullptr) return judge(*uri);
  if (!socket) return broken("no descriptor");
  if (!*socket) return broken((*socket).error());
  const auto transport = **socket;
  if (const auto* const connect = std::get_if<wire::Connect>(&*request)) {
    return judge(*connect, transport, now);
  }
  if (const auto* const bind = std::get_if<wire::Bind>(&*request)) {
    return judge(*bind, transport);
  }
  return judge(std::get<wire::SendTo>(*request), transport, now);
}

RequestJudge::Verdict RequestJudge::judge(const wire::Connect& request, Transport transport,
                                          base::Time now) {
  const auto to = call_address(request.address);
  if (!to) return failed(EAFNOSUPPORT);
  if (const auto refusal = policy_.connect(transport, to->endpoint)) return refused(*refusal);
  return Call{Call::Kind::kConnect, *to, {}, connects_.take(now)};
}

RequestJudge::Verdict RequestJudge::judge(const wire::Bind& request, Transport transport) const {
  const auto at = call_address(request.address);
  if (!at) return failed(EAFNOSUPPORT);
  if (const auto refusal = policy_.bind(transport, at->endpoint)) return refused(*refusal);
  return Call{Call::Kind::kBind, *at, {}, {}};
}

RequestJudge::Verdict RequestJudge::judge(wire::SendTo& request, Transport transport,
                                          base::Time now) {
  const auto to = call_address(request.address);
  if (!to) return failed(EAFNOSUPPORT);
  if (transport != Transport::kUdp) return failed(EISCONN);
  if (const auto refusal = policy_.send(to->endpoint)) return refused(*refusal);
  if (!datagrams_.try_take(now)) return failed(ENOBUFS);
  return Call{Call::Kind::kSend, *to, std::move(request.payload), {}};
}

RequestJudge::Verdict RequestJudge::judge(const wire::MayOpen& uri) const {
  const auto refusal = policy_.may_open({.scheme = uri.scheme,
                                         .host = uri.host,
                                         .port = static_cast<std::uint16_t>(uri.port),
                                         .path = uri.path});
  return refusal ? refused(*refusal) : Reply{wire::Done{}, std::nullopt};
}

RequestJudge::Reply RequestJudge::found(const std::string& name, Resolver::Answer answer) {
  if (answer.error != 0) return failed(answer.error);
  if (const auto refusal = policy_.looked_up(name, answer.addresses)) return refused(*refusal);
  if (answer.addresses.empty()) return failed(EAI_NONAME);
  wire::Found found;
  for (const auto& address : answer.addresses) {
    if (found.addresses.size() < wire::kMaxFound) found.addresses.push_back(bytes_of(address));
  }
  return {std::move(found), std::nullopt};
}

}  // namespace transcoder::access
