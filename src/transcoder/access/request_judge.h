#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "transcoder/access/access_rules.h"
#include "transcoder/access/address_policy.h"
#include "transcoder/access/granted_socket.h"
#include "transcoder/access/host_history.h"
#include "transcoder/access/resolver.h"
#include "transcoder/access/token_bucket.h"
#include "transcoder/wire/access_message.h"

namespace transcoder::access {

/// Decides on each message that a source's process sends to AccessBroker: the reply, or the call to
/// make for the process and the wait before it. Trusts nothing in a message. For one try and one
/// thread; no I/O, no clock.
class RequestJudge {
 public:
  /// The channel that the message came on.
  enum class Origin { kAccess, kLookup };
  /// The descriptor that came with it: nullopt without one, an error if it is no TCP or UDP socket.
  using Socket = std::optional<base::Result<Transport>>;

  /// The process breaks the protocol: it gets nothing any more.
  struct Broken {
    std::string how;
  };
  struct Reply {
    wire::AccessAnswer answer;
    std::optional<Refusal> refusal;  ///< that the answer is; nullopt for other answers
  };
  /// After `wait`, call look_up() for the name, then found().
  struct LookUp {
    std::string name;
    base::Duration wait{};
  };
  /// After `wait`, make the call on the socket, and answer with its result.
  struct Call {
    enum class Kind { kConnect, kBind, kSend };
    Kind kind = Kind::kConnect;
    CallAddress address;
    std::vector<std::uint8_t> payload;  ///< of kSend
    base::Duration wait{};
  };
  using Verdict = std::variant<Broken, Reply, LookUp, Call>;

  RequestJudge(const AccessRules& rules, std::shared_ptr<HostHistory> history);

  Verdict judge(Origin origin, std::span<const std::uint8_t> message, const Socket& socket,
                base::Time now);
  /// The reply to a lookup of `name` for which the name service has this answer.
  Reply found(const std::string& name, Resolver::Answer answer);

 private:
  Verdict judge(const wire::Connect& request, Transport transport, base::Time now);
  Verdict judge(const wire::Bind& request, Transport transport) const;
  Verdict judge(wire::SendTo& request, Transport transport, base::Time now);
  Verdict judge(const wire::MayOpen& uri) const;

  AddressPolicy policy_;
  TokenBucket connects_;
  TokenBucket lookups_;
  TokenBucket datagrams_;
};

}  // namespace transcoder::access
