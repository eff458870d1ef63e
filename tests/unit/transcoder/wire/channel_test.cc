#include "transcoder/wire/channel.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <iterator>
#include <string>
#include <thread>

#include "transcoder/wire/message.h"

namespace transcoder::wire {
namespace {

using Status = Channel::Received::Status;
constexpr auto kNever = Channel::Wait::kNever;
constexpr auto kForever = Channel::Wait::kForever;

std::span<const std::uint8_t> bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string text(const Channel::Received& received) {
  return {received.message.begin(), received.message.end()};
}

std::ptrdiff_t open_descriptors() {
  const std::filesystem::directory_iterator open{"/proc/self/fd"};
  return std::distance(begin(open), end(open));
}

/// A channel, and the socket of a peer that may send anything.
struct ChannelTest : testing::Test {
  explicit ChannelTest(Channel::Descriptors accepted = Channel::Descriptors::kAccepted)
      : ChannelTest{channel_sockets(), accepted} {}
  ChannelTest(std::pair<base::UniqueFd, base::UniqueFd> sockets, Channel::Descriptors accepted)
      : channel{std::move(sockets.first), accepted}, peer{std::move(sockets.second)} {}

  /// Sends `count` descriptors with a message of one byte.
  void send_descriptors(std::size_t count) {
    alignas(cmsghdr) char control[CMSG_SPACE(2 * sizeof(int))]{};
    const int descriptors[2]{STDERR_FILENO, STDERR_FILENO};
    char byte = 'x';
    iovec data{.iov_base = &byte, .iov_len = 1};
    msghdr header{};
    header.msg_iov = &data;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = CMSG_LEN(count * sizeof(int));
    cmsghdr* const first = CMSG_FIRSTHDR(&header);
    first->cmsg_level = SOL_SOCKET;
    first->cmsg_type = SCM_RIGHTS;
    first->cmsg_len = header.msg_controllen;
    std::memcpy(CMSG_DATA(first), descriptors, count * sizeof(int));
    ASSERT_EQ(::sendmsg(peer.get(), &header, 0), 1);
  }

  Channel channel;
  base::UniqueFd peer;
};

struct ChannelWithoutDescriptorsTest : ChannelTest {
  ChannelWithoutDescriptorsTest() : ChannelTest{Channel::Descriptors::kRefused} {}
};

TEST_F(ChannelTest, KeepsTheBoundariesOfMessages) {
  Channel other{std::move(peer)};
  EXPECT_EQ(other.send(bytes("one"), kNever), Channel::Sent::kDone);
  EXPECT_EQ(other.send(bytes("and two"), kNever), Channel::Sent::kDone);
  EXPECT_EQ(text(*channel.receive(kNever)), "one");
  EXPECT_EQ(text(*channel.receive(kForever)), "and two");
  EXPECT_EQ(channel.receive(kNever)->status, Status::kNothing);
}

TEST_F(ChannelTest, WaitsForAMessage) {
  std::thread sender{[&] { Channel{std::move(peer)}.send(bytes("one"), kForever); }};
  EXPECT_EQ(text(*channel.receive(kForever)), "one");
  EXPECT_EQ(channel.receive(kForever)->status, Status::kClosed);
  sender.join();
}

TEST_F(ChannelTest, DoesNotWaitForAPeerThatDoesNotRead) {
  const std::string longest(kMaxMessage, 'x');
  Channel other{std::move(peer)};
  int sent = 0;
  while (channel.send(bytes(longest), kNever) == Channel::Sent::kDone) ++sent;
  EXPECT_GE(sent, 2);
  EXPECT_EQ(channel.send(bytes(longest), kNever), Channel::Sent::kFull);
  EXPECT_EQ(text(*other.receive(kNever)), longest);
  EXPECT_EQ(channel.send(bytes(longest), kForever), Channel::Sent::kDone);
}

TEST_F(ChannelTest, ReadsWhatAClosedPeerHasSent) {
  ASSERT_EQ(::send(peer.get(), "one", 3, 0), 3);
  peer.reset();
  EXPECT_EQ(text(*channel.receive(kNever)), "one");
  EXPECT_EQ(channel.receive(kNever)->status, Status::kClosed);
  EXPECT_EQ(channel.send(bytes("two"), kForever), Channel::Sent::kClosed);
}

TEST_F(ChannelTest, APeerThatClosesWithoutReadingIsClosed) {
  EXPECT_EQ(channel.send(bytes("unread"), kNever), Channel::Sent::kDone);
  peer.reset();
  EXPECT_EQ(channel.receive(kNever)->status, Status::kClosed);
}

TEST_F(ChannelTest, AnEmptyMessageCloses) {
  ASSERT_EQ(::send(peer.get(), "", 0, 0), 0);
  EXPECT_EQ(channel.receive(kNever)->status, Status::kClosed);
}

TEST_F(ChannelTest, RefusesAMessageThatIsTooLong) {
  const std::string message(kMaxMessage + 1, 'x');
  ASSERT_EQ(::send(peer.get(), message.data(), kMaxMessage, 0), ssize_t{kMaxMessage});
  EXPECT_TRUE(channel.receive(kNever));
  ASSERT_EQ(::send(peer.get(), message.data(), message.size(), 0), ssize_t{kMaxMessage + 1});
  EXPECT_EQ(channel.receive(kNever).error(), "a message is too long");
}

TEST_F(ChannelTest, PassesADescriptor) {
  const auto open_before = open_descriptors();
  Channel other{std::move(peer)};
  EXPECT_EQ(other.send(bytes("plain"), kNever), Channel::Sent::kDone);
  EXPECT_EQ(other.send(bytes("this"), kNever, other.fd()), Channel::Sent::kDone);
  EXPECT_FALSE(channel.receive(kNever)->descriptor);
  {
    const auto received = channel.receive(kNever);
    EXPECT_EQ(text(*received), "this");
    ASSERT_TRUE(received->descriptor);
    EXPECT_EQ(::fcntl(received->descriptor.get(), F_GETFD), FD_CLOEXEC);
    ASSERT_EQ(::send(received->descriptor.get(), "same", 4, 0), 4);
    EXPECT_EQ(text(*channel.receive(kNever)), "same");
  }
  EXPECT_EQ(open_descriptors(), open_before);
}

TEST_F(ChannelTest, RefusesAndClosesTwoDescriptors) {
  const auto open_before = open_descriptors();
  send_descriptors(1);
  EXPECT_TRUE(channel.receive(kNever)->descriptor);
  send_descriptors(2);
  EXPECT_EQ(channel.receive(kNever).error(), "too many descriptors");
  EXPECT_EQ(open_descriptors(), open_before);
}

TEST_F(ChannelWithoutDescriptorsTest, RefusesAndClosesEachDescriptor) {
  const auto open_before = open_descriptors();
  for (const std::size_t count : {1, 2}) {
    send_descriptors(count);
    EXPECT_EQ(channel.receive(kNever).error(), "too many descriptors");
  }
  EXPECT_EQ(open_descriptors(), open_before);
}

}  // namespace
}  // namespace transcoder::wire
