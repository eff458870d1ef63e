#include "transcoder/child/access_gate.h"

#include <fcntl.h>
#include <glib.h>
#include <netdb.h>
#include <poll.h>
#include <sys/time.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <utility>
#include <variant>

#include "transcoder/handle.h"

namespace transcoder {

namespace {

using wire::Channel;

std::atomic<AccessGate*> active_gate = nullptr;

/// Takes the flag O_NONBLOCK for a while, if the socket has not got it.
class NonBlocking {
 public:
  explicit NonBlocking(int fd) : fd_{fd}, flags_{::fcntl(fd, F_GETFL)} {
    if (blocks()) ::fcntl(fd_, F_SETFL, flags_ | O_NONBLOCK);
  }
  ~NonBlocking() {
    const int error = errno;
    if (blocks()) ::fcntl(fd_, F_SETFL, flags_);
    errno = error;
  }
  NonBlocking(const NonBlocking&) = delete;
  NonBlocking& operator=(const NonBlocking&) = delete;

  bool is_open() const { return flags_ >= 0; }
  bool blocks() const { return is_open() && (flags_ & O_NONBLOCK) == 0; }

 private:
  const int fd_;
  const int flags_;
};

/// The timeout of sending, which is also that of connect (socket(7)), for poll().
int send_timeout_ms(int fd) {
  timeval timeout{};
  socklen_t size = sizeof timeout;
  if (::getsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, &size) != 0) return -1;
  const auto time =
      std::chrono::seconds{timeout.tv_sec} + std::chrono::microseconds{timeout.tv_usec};
  if (time.count() == 0) return -1;
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(time).count();
  return static_cast<int>(std::min<std::int64_t>(ms, INT32_MAX));
}

/// Returns 0, or `timed_out` or another error.
int wait_writable(int fd, int timed_out) {
  pollfd ready{.fd = fd, .events = POLLOUT, .revents = 0};
  const int count = ::poll(&ready, 1, send_timeout_ms(fd));
  return count < 0 ? errno : count == 0 ? timed_out : 0;
}

int connection_error(int fd) {
  int error = 0;
  socklen_t size = sizeof error;
  return ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

wire::SocketAddress bytes_of(const void* address, socklen_t size) {
  const auto* const begin = static_cast<const std::uint8_t*>(address);
  return {begin, begin + std::min<std::size_t>(size, wire::kMaxAddress)};
}

std::vector<std::uint8_t> payload_of(const msghdr& message) {
  std::vector<std::uint8_t> payload;
  for (std::size_t i = 0; i < message.msg_iovlen; ++i) {
    const auto* const begin = static_cast<const std::uint8_t*>(message.msg_iov[i].iov_base);
    payload.insert(payload.end(), begin, begin + message.msg_iov[i].iov_len);
    if (payload.size() > wire::kMaxPayload) break;
  }
  return payload;
}

int result_of(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

std::string text_of(const char* text) { return text != nullptr ? text : ""; }

std::string file_of(const std::string& uri) {
  const Handle<gchar, g_free> path{g_filename_from_uri(uri.c_str(), nullptr, nullptr)};
  return path ? path.get() : uri.substr(uri.find(':') + 1);
}

/// A text that is no URI has a scheme at most.
wire::MayOpen place_of(const std::string& uri) {
  const Handle<gchar, g_free> scheme{g_uri_parse_scheme(uri.c_str())};
  wire::MayOpen place{.scheme = scheme ? scheme.get() : ""};
  const Handle<GUri, g_uri_unref> parsed{
      g_uri_parse(uri.c_str(), G_URI_FLAGS_PARSE_RELAXED, nullptr)};
  if (place.scheme == "file") {
    place.path = file_of(uri);
  } else if (parsed) {
    place.host = text_of(g_uri_get_host(parsed.get()));
    place.port = std::max(g_uri_get_port(parsed.get()), 0);
    place.path = text_of(g_uri_get_path(parsed.get()));
  }
  return place;
}

}  // namespace

AccessGate::AccessGate(base::UniqueFd access, base::UniqueFd lookup)
    : access_{std::move(access)}, lookup_{std::move(lookup)} {
  active_gate = this;
}

AccessGate::~AccessGate() { active_gate = nullptr; }

AccessGate* AccessGate::active() { return active_gate; }

void AccessGate::on_refused(std::function<void(std::string)> call) {
  on_refused_ = std::move(call);
}

int AccessGate::connect(int fd, const sockaddr* to, socklen_t size) {
  const NonBlocking socket{fd};
  if (!socket.is_open()) return -1;
  const auto answer = ask(wire::Connect{bytes_of(to, size)}, fd);
  int error = error_of(answer, EACCES);
  if (error == EINPROGRESS && socket.blocks()) {
    error = wait_writable(fd, EINPROGRESS);
    if (error == 0) error = connection_error(fd);
  }
  return result_of(error);
}

int AccessGate::bind(int fd, const sockaddr* at, socklen_t size) {
  return result_of(error_of(ask(wire::Bind{bytes_of(at, size)}, fd), EACCES));
}

ssize_t AccessGate::send(int fd, const msghdr& message, int flags) {
  const wire::SendTo request{bytes_of(message.msg_name, message.msg_namelen), payload_of(message)};
  if (request.payload.size() > wire::kMaxPayload) return result_of(EMSGSIZE);
  const bool waits = (flags & MSG_DONTWAIT) == 0 && (::fcntl(fd, F_GETFL) & O_NONBLOCK) == 0;
  for (;;) {
    const auto answer = ask(request, fd);
    int error = std::holds_alternative<wire::Refused>(answer) ? EPERM : error_of(answer, EPERM);
    if (error == 0) return static_cast<ssize_t>(std::get<wire::Done>(answer).bytes);
    if (error == EAGAIN && waits) error = wait_writable(fd, EAGAIN);
    if (error != 0) return result_of(error);
  }
}

int AccessGate::look_up(const std::string& host, std::vector<sockaddr_storage>& addresses) {
  const auto answer = ask(lookup_, lookup_mutex_, wire::Lookup{host}, -1);
  const auto* const found = std::get_if<wire::Found>(&answer);
  if (found == nullptr) {
    const int error = error_of(answer, EAI_NONAME);
    return error < 0 ? error : EAI_AGAIN;
  }
  for (const auto& bytes : found->addresses) {
    auto& address = addresses.emplace_back();
    std::memcpy(&address, bytes.data(), std::min(bytes.size(), sizeof address));
  }
  return 0;
}

bool AccessGate::may_open(const std::string& uri) { return may_open(place_of(uri)); }

bool AccessGate::may_open(wire::MayOpen place) {
  place.path.resize(std::min(place.path.size(), wire::kMaxPath));
  return error_of(ask(std::move(place), -1), EACCES) == 0;
}

void AccessGate::refuse(std::string reason) const {
  if (on_refused_) on_refused_(std::move(reason));
}

wire::AccessAnswer AccessGate::ask(const wire::AccessRequest& request, int fd) {
  return ask(access_, access_mutex_, request, fd);
}

wire::AccessAnswer AccessGate::ask(Channel& channel, std::mutex& mutex,
                                   const wire::AccessRequest& request, int fd) const {
  std::lock_guard lock{mutex};
  try {
    const auto message = wire::encode(request);
    if (channel.send(message, Channel::Wait::kForever, fd) == Channel::Sent::kDone) {
      const auto received = channel.receive(Channel::Wait::kForever);
      if (received && received->status == Channel::Received::Status::kMessage) {
        if (auto answer = wire::decode_access_answer(received->message)) return *answer;
      }
    }
  } catch (const std::length_error& error) {  // such as a name of 300 bytes
    return wire::Refused{std::string{"it names something too long: "} + error.what()};
  }
  return wire::Failed{EACCES};
}

int AccessGate::error_of(const wire::AccessAnswer& answer, int if_refused) const {
  if (const auto* const failed = std::get_if<wire::Failed>(&answer)) return failed->error;
  if (const auto* const refused = std::get_if<wire::Refused>(&answer)) {
    refuse(refused->reason);
    return if_refused;
  }
  return 0;
}

}  // namespace transcoder
