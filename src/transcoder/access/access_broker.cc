#include "transcoder/access/access_broker.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "transcoder/access/granted_socket.h"
#include "transcoder/access/token_bucket.h"
#include "transcoder/wire/access_message.h"
#include "transcoder/wire/channel.h"

namespace transcoder::access {

namespace {

using namespace std::chrono_literals;
using wire::AccessAnswer;
using wire::AccessRequest;
using wire::Channel;

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

AccessAnswer answer_of(int result) {
  if (result < 0) return wire::Failed{-result};
  return wire::Done{static_cast<std::size_t>(result)};
}

}  // namespace

class AccessBroker::Impl {
 public:
  Impl(const AccessRules& rules, std::shared_ptr<StreamAccess> stream, base::UniqueFd access,
       base::UniqueFd lookup, Listener& listener)
      : stream_{std::move(stream)},
        policy_{rules, std::shared_ptr<HostHistory>{stream_, &stream_->history}},
        access_{std::move(access), Channel::Descriptors::kAccepted},
        lookup_{std::move(lookup)},
        listener_{listener},
        thread_{[this] { run(); }} {}

  ~Impl() {
    stopping_ = true;
    ::shutdown(access_.fd(), SHUT_RDWR);
    ::shutdown(lookup_.fd(), SHUT_RDWR);
    {
      // A process can make us wait in connect() if it changes the socket at the right moment.
      std::lock_guard lock{mutex_};
      if (in_use_ >= 0) ::shutdown(in_use_, SHUT_RDWR);
    }
    thread_.join();
  }

 private:
  void run() {
    while (!stopping_) {
      std::array<pollfd, 3> ready{{{.fd = access_.fd(), .events = POLLIN, .revents = 0},
                                   {.fd = asked_ ? -1 : lookup_.fd(), .events = POLLIN},
                                   {.fd = stream_->resolver.fd(), .events = POLLIN}}};
      ::poll(ready.data(), ready.size(), -1);
      if (ready[2].revents != 0) stream_->resolver.clear();
      if (asked_) answer_lookup();
      if (ready[0].revents != 0 && !serve(access_)) return;
      if (ready[1].revents != 0 && !serve(lookup_)) return;
    }
  }

  /// Returns false once the channel has ended.
  bool serve(Channel& channel) {
    auto received = channel.receive(Channel::Wait::kNever);
    if (!received) return broken(received.error());
    if (received->status == Channel::Received::Status::kClosed) return false;
    if (received->status == Channel::Received::Status::kNothing) return true;
    auto request = wire::decode_access_request(received->message);
    if (!request) return broken(request.error());
    const bool may_bring = !std::holds_alternative<wire::Lookup>(*request) &&
                           !std::holds_alternative<wire::MayOpen>(*request);
    if (received->descriptor && !may_bring) return broken("a descriptor without need");
    if (const auto* const lookup = std::get_if<wire::Lookup>(&*request)) {
      return &channel == &lookup_ ? start_lookup(lookup->name) : broken("a lookup out of place");
    }
    if (&channel == &lookup_) return broken("not a lookup");
    if (const auto* const uri = std::get_if<wire::MayOpen>(&*request)) {
      return reply(channel, judged(*uri));
    }
    const auto socket = GrantedSocket::of(std::move(received->descriptor));
    if (!socket) return broken(socket.error());
    return reply(channel, call(*request, *socket));
  }

  AccessAnswer judged(const wire::MayOpen& uri) {
    const auto refusal = policy_.may_open({.scheme = uri.scheme,
                                           .host = uri.host,
                                           .port = static_cast<std::uint16_t>(uri.port),
                                           .path = uri.path});
    return refusal ? refuse(*refusal) : wire::Done{};
  }

  AccessAnswer call(const AccessRequest& request, const GrantedSocket& socket) {
    const Use use{*this, socket.fd()};
    if (stopping_) return wire::Failed{EINTR};
    if (const auto* const connect = std::get_if<wire::Connect>(&request)) {
      return make(*connect, socket);
    }
    if (const auto* const bind = std::get_if<wire::Bind>(&request)) return make(*bind, socket);
    return make(std::get<wire::SendTo>(request), socket);
  }

  AccessAnswer make(const wire::Connect& request, const GrantedSocket& socket) {
    const auto to = call_address(request.address);
    if (!to) return wire::Failed{EAFNOSUPPORT};
    if (const auto refusal = policy_.connect(socket.transport(), to->endpoint)) {
      return refuse(*refusal);
    }
    wait(connects_.take(base::Clock::now()));
    return answer_of(socket.connect(*to));
  }

  AccessAnswer make(const wire::Bind& request, const GrantedSocket& socket) {
    const auto at = call_address(request.address);
    if (!at) return wire::Failed{EAFNOSUPPORT};
    if (const auto refusal = policy_.bind(socket.transport(), at->endpoint)) {
      return refuse(*refusal);
    }
    return answer_of(socket.bind(*at));
  }

  AccessAnswer make(const wire::SendTo& request, const GrantedSocket& socket) {
    const auto to = call_address(request.address);
    if (!to) return wire::Failed{EAFNOSUPPORT};
    if (socket.transport() != Transport::kUdp) return wire::Failed{EISCONN};
    if (const auto refusal = policy_.send(to->endpoint)) return refuse(*refusal);
    if (!datagrams_.try_take(base::Clock::now())) return wire::Failed{ENOBUFS};
    return answer_of(socket.send(request.payload, *to));
  }

  bool start_lookup(const std::string& name) {
    wait(lookups_.take(base::Clock::now()));
    asked_ = name;
    return answer_lookup();
  }

  /// Replies if the answer is known.
  bool answer_lookup() {
    auto answer = stream_->resolver.answer(*asked_, base::Clock::now());
    if (!answer) return true;
    const auto name = *std::exchange(asked_, std::nullopt);
    if (answer->error != 0) return reply(lookup_, wire::Failed{answer->error});
    if (const auto refusal = policy_.looked_up(name, answer->addresses)) {
      return reply(lookup_, refuse(*refusal));
    }
    if (answer->addresses.empty()) return reply(lookup_, wire::Failed{EAI_NONAME});
    wire::Found found;
    for (const auto& address : answer->addresses) {
      if (found.addresses.size() < wire::kMaxFound) found.addresses.push_back(bytes_of(address));
    }
    return reply(lookup_, std::move(found));
  }

  AccessAnswer refuse(const Refusal& refusal) {
    listener_.on_refused(refusal);
    return wire::Refused{refusal.text()};
  }

  bool broken(std::string how) {
    listener_.on_broken(std::move(how));
    return false;
  }

  /// Without waiting: an honest process reads each answer before its next request.
  static bool reply(const Channel& channel, AccessAnswer answer) {
    return channel.send(wire::encode(std::move(answer)), Channel::Wait::kNever) ==
           Channel::Sent::kDone;
  }

  /// Until the end of the broker at the latest.
  void wait(base::Duration duration) const {
    pollfd ended{.fd = access_.fd(), .events = 0, .revents = 0};
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(duration).count();
    if (ms > 0) ::poll(&ended, 1, static_cast<int>(ms));
  }

  /// Lets the destructor end a call on the socket.
  struct Use {
    Use(Impl& of, int fd) : broker{of} { set(fd); }
    ~Use() { set(-1); }
    void set(int fd) const {
      std::lock_guard lock{broker.mutex_};
      broker.in_use_ = fd;
    }
    Impl& broker;
  };

  const std::shared_ptr<StreamAccess> stream_;
  AddressPolicy policy_;
  Channel access_;
  Channel lookup_;
  Listener& listener_;
  TokenBucket connects_ = kConnects;
  TokenBucket lookups_ = kLookups;
  TokenBucket datagrams_ = kDatagrams;
  std::optional<std::string> asked_;  ///< the name whose answer is awaited
  std::atomic<bool> stopping_ = false;
  std::mutex mutex_;
  int in_use_ = -1;  // GUARDED_BY(mutex_)
  std::thread thread_;
};

AccessBroker::AccessBroker(const AccessRules& rules, std::shared_ptr<StreamAccess> stream,
                           base::UniqueFd access, base::UniqueFd lookup, Listener& listener)
    : impl_{std::make_unique<Impl>(rules, std::move(stream), std::move(access), std::move(lookup),
                                   listener)} {}

AccessBroker::~AccessBroker() = default;

}  // namespace transcoder::access
