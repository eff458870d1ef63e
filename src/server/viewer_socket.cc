#include "server/viewer_socket.h"

#include <linux/net_tstamp.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/log.h"

namespace server {

namespace {

template <typename T>
int set(int fd, int level, int option, const T& value) {
  return setsockopt(fd, level, option, &value, sizeof value) == 0 ? 0 : errno;
}

/// The control message that requests SOF_TIMESTAMPING_TX_ACK for one write.
class AckTimestampRequest {
 public:
  void add_to(msghdr& message) {
    message.msg_control = memory_.data();
    message.msg_controllen = memory_.size();
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SO_TIMESTAMPING;
    header->cmsg_len = CMSG_LEN(sizeof kTxAckFlag);
    std::memcpy(CMSG_DATA(header), &kTxAckFlag, sizeof kTxAckFlag);
  }

 private:
  static constexpr std::uint32_t kTxAckFlag = SOF_TIMESTAMPING_TX_ACK;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof kTxAckFlag)> memory_;
};

}  // namespace

ViewerSocket::ViewerSocket(base::UniqueFd fd) : fd_{std::move(fd)} {
  // Every write is a complete message. Fails only if the socket is not TCP.
  set(fd_.get(), IPPROTO_TCP, TCP_NODELAY, 1);
}

ViewerSocket::Sent ViewerSocket::send(std::span<iovec> pieces, bool marked) {
  std::size_t size = 0;
  for (const auto& piece : pieces) size += piece.iov_len;
  msghdr message{};
  message.msg_iov = pieces.data();
  message.msg_iovlen = pieces.size();
  AckTimestampRequest request;
  if (marked) request.add_to(message);
  const int flags = MSG_NOSIGNAL | MSG_DONTWAIT | (marked ? MSG_EOR : 0);
  ssize_t sent = 0;
  do {
    sent = sendmsg(fd_.get(), &message, flags);
  } while (sent < 0 && errno == EINTR);
  if (sent < 0) {
    const bool full = errno == EAGAIN || errno == EWOULDBLOCK;
    return {.bytes = 0, .full = full, .error = full ? 0 : errno};
  }
  const auto bytes = static_cast<std::size_t>(sent);
  // After a short write the kernel has set SOCK_NOSPACE, so a writable edge will follow.
  return {.bytes = bytes, .full = bytes < size};
}

ViewerSocket::Received ViewerSocket::receive(std::span<char> buffer) {
  ssize_t got = 0;
  do {
    got = recv(fd_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  } while (got < 0 && errno == EINTR);
  if (got > 0) return {.bytes = static_cast<std::size_t>(got)};
  if (got == 0) return {.closed = true};
  const bool none = errno == EAGAIN || errno == EWOULDBLOCK;
  return {.none = none, .closed = !none};
}

bool ViewerSocket::broken() const {
  int error = 0;
  socklen_t size = sizeof error;
  return ::getsockopt(fd_.get(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error != 0;
}

std::size_t ViewerSocket::unacknowledged() const {
  int bytes = 0;
  return ioctl(fd_.get(), SIOCOUTQ, &bytes) == 0 ? static_cast<std::size_t>(bytes) : 0;
}

void ViewerSocket::limit_unsent(base::ByteCount limit) {
  set(fd_.get(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, static_cast<unsigned>(limit.bytes()));
}

void ViewerSocket::give_up_after(base::Duration silence) {
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(silence).count();
  set(fd_.get(), IPPROTO_TCP, TCP_USER_TIMEOUT, static_cast<unsigned>(ms));
}

void ViewerSocket::end_output() { shutdown(fd_.get(), SHUT_WR); }

void ViewerSocket::reset_on_close() {
  set(fd_.get(), SOL_SOCKET, SO_LINGER, linger{.l_onoff = 1, .l_linger = 0});
}

}  // namespace server
