#include "transcoder/access/access_broker.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <variant>

#include "transcoder/access/granted_socket.h"
#include "transcoder/access/request_judge.h"
#include "transcoder/wire/access_message.h"
#include "transcoder/wire/channel.h"

namespace transcoder::access {

namespace {

using wire::AccessAnswer;
using wire::Channel;

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
        judge_{rules, std::shared_ptr<HostHistory>{stream_, &stream_->history}},
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
                                   {.fd = waker_->fd(), .events = POLLIN}}};
      ::poll(ready.data(), ready.size(), -1);
      if (ready[2].revents != 0) waker_->clear();
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
    auto socket = granted_socket(std::move(received->descriptor));
    const auto origin =
        &channel == &lookup_ ? RequestJudge::Origin::kLookup : RequestJudge::Origin::kAccess;
    auto verdict =
        judge_.judge(origin, received->message, transport_of(socket), base::Clock::now());
    if (auto* const broken = std::get_if<RequestJudge::Broken>(&verdict)) {
      return this->broken(std::move(broken->how));
    }
    if (const auto* const lookup = std::get_if<RequestJudge::LookUp>(&verdict)) {
      return start_lookup(*lookup);
    }
    if (auto* const call = std::get_if<RequestJudge::Call>(&verdict)) {
      return reply(channel, make(*call, **socket));
    }
    return reply(channel, answer_in(std::get<RequestJudge::Reply>(std::move(verdict))));
  }

  /// nullopt without a descriptor.
  static std::optional<base::Result<GrantedSocket>> granted_socket(base::UniqueFd fd) {
    if (!fd) return std::nullopt;
    return GrantedSocket::of(std::move(fd));
  }

  static RequestJudge::Socket transport_of(
      const std::optional<base::Result<GrantedSocket>>& socket) {
    if (!socket) return std::nullopt;
    if (!*socket) return base::Error{socket->error()};
    return (*socket)->transport();
  }

  AccessAnswer make(const RequestJudge::Call& call, const GrantedSocket& socket) {
    using Kind = RequestJudge::Call::Kind;
    const Use use{*this, socket.fd()};
    wait(call.wait);
    if (stopping_) return wire::Failed{EINTR};
    switch (call.kind) {
      case Kind::kConnect:
        return answer_of(socket.connect(call.address));
      case Kind::kBind:
        return answer_of(socket.bind(call.address));
      case Kind::kSend:
        break;
    }
    return answer_of(socket.send(call.payload, call.address));
  }

  bool start_lookup(const RequestJudge::LookUp& lookup) {
    wait(lookup.wait);
    asked_ = lookup.name;
    return answer_lookup();
  }

  /// Replies if the answer is known.
  bool answer_lookup() {
    auto answer = stream_->resolver.answer(*asked_, base::Clock::now(), waker_);
    if (!answer) return true;
    const auto name = *std::exchange(asked_, std::nullopt);
    return reply(lookup_, answer_in(judge_.found(name, std::move(*answer))));
  }

  AccessAnswer answer_in(RequestJudge::Reply reply) {
    if (reply.refusal) listener_.on_refused(*reply.refusal);
    return std::move(reply.answer);
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
  RequestJudge judge_;
  Channel access_;
  Channel lookup_;
  Listener& listener_;
  const std::shared_ptr<Resolver::Waker> waker_ = std::make_shared<Resolver::Waker>();
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
