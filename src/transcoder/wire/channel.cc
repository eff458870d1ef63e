#include "transcoder/wire/channel.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <system_error>

#include "base/system_error.h"
#include "transcoder/wire/message.h"

namespace transcoder::wire {

namespace {

/// Control data with a descriptor.
struct alignas(cmsghdr) Control {
  std::array<std::byte, CMSG_SPACE(sizeof(int))> bytes{};
};

/// Leaves the kernel no room for a second one, which the padding of CMSG_SPACE would.
constexpr std::size_t kOneDescriptor = CMSG_LEN(sizeof(int));

int flags_of(Channel::Wait wait) { return wait == Channel::Wait::kNever ? MSG_DONTWAIT : 0; }

void attach(msghdr& header, Control& control, int descriptor) {
  header.msg_control = control.bytes.data();
  header.msg_controllen = kOneDescriptor;
  cmsghdr* const first = CMSG_FIRSTHDR(&header);
  first->cmsg_level = SOL_SOCKET;
  first->cmsg_type = SCM_RIGHTS;
  first->cmsg_len = kOneDescriptor;
  std::memcpy(CMSG_DATA(first), &descriptor, sizeof descriptor);
}

/// The descriptor that the kernel has put into the control data, if any.
base::UniqueFd attached(const msghdr& header) {
  const cmsghdr* const first = CMSG_FIRSTHDR(&header);
  if (first == nullptr || first->cmsg_level != SOL_SOCKET || first->cmsg_type != SCM_RIGHTS ||
      first->cmsg_len != kOneDescriptor) {
    return {};
  }
  int descriptor = -1;
  std::memcpy(&descriptor, CMSG_DATA(first), sizeof descriptor);
  return base::UniqueFd{descriptor};
}

/// Calls until no signal interrupts it.
template <typename Call>
ssize_t uninterrupted(Call call) {
  ssize_t result = 0;
  do {
    result = call();
  } while (result < 0 && errno == EINTR);
  return result;
}

}  // namespace

Channel::Channel(base::UniqueFd fd, Descriptors descriptors)
    : fd_{std::move(fd)}, descriptors_{descriptors}, buffer_(kMaxMessage) {}

Channel::Sent Channel::send(std::span<const std::uint8_t> message, Wait wait,
                            int descriptor) const {
  iovec data{.iov_base = const_cast<std::uint8_t*>(message.data()), .iov_len = message.size()};
  msghdr header{};
  header.msg_iov = &data;
  header.msg_iovlen = 1;
  Control control;
  if (descriptor >= 0) attach(header, control, descriptor);
  const auto sent =
      uninterrupted([&] { return ::sendmsg(fd_.get(), &header, MSG_NOSIGNAL | flags_of(wait)); });
  if (sent >= 0) return Sent::kDone;
  return errno == EAGAIN ? Sent::kFull : Sent::kClosed;
}

base::Result<Channel::Received> Channel::receive(Wait wait) {
  using Status = Received::Status;
  iovec data{.iov_base = buffer_.data(), .iov_len = buffer_.size()};
  msghdr header{};
  header.msg_iov = &data;
  header.msg_iovlen = 1;
  Control control;
  if (descriptors_ == Descriptors::kAccepted) {
    header.msg_control = control.bytes.data();
    header.msg_controllen = kOneDescriptor;
  }
  const auto size = uninterrupted(
      [&] { return ::recvmsg(fd_.get(), &header, MSG_CMSG_CLOEXEC | flags_of(wait)); });
  if (size < 0 && errno == EAGAIN) return Received{.status = Status::kNothing};
  if (size < 0 && errno == ECONNRESET) return Received{.status = Status::kClosed};
  if (size < 0) return base::Error{"receive: " + std::generic_category().message(errno)};
  auto descriptor = attached(header);
  if ((header.msg_flags & MSG_TRUNC) != 0) return base::Error{"a message is too long"};
  if ((header.msg_flags & MSG_CTRUNC) != 0) {
    const bool none_free = descriptors_ == Descriptors::kAccepted && !descriptor;
    return base::Error{none_free ? "receive: no descriptor is free" : "too many descriptors"};
  }
  if (size == 0) return Received{.status = Status::kClosed};
  return Received{.status = Status::kMessage,
                  .message = std::span{buffer_}.first(static_cast<std::size_t>(size)),
                  .descriptor = std::move(descriptor)};
}

std::pair<base::UniqueFd, base::UniqueFd> channel_sockets() {
  int ends[2];
  base::check("sockets for a source's process",
              ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends));
  return {base::UniqueFd{ends[0]}, base::UniqueFd{ends[1]}};
}

}  // namespace transcoder::wire
