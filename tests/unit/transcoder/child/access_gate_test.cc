#include "transcoder/child/access_gate.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netdb.h>
#include <sys/time.h>

#include <cerrno>
#include <mutex>

#include "transcoder/access/access_broker.h"

namespace transcoder {
namespace {

base::UniqueFd make_socket(int type) {
  return base::UniqueFd{::socket(AF_INET, type | SOCK_CLOEXEC, 0)};
}

struct Peer {
  explicit Peer(int type, int backlog = 5) : fd{make_socket(type)} {
    address = base::Endpoint::parse("127.0.0.1:0")->socket_address();
    socklen_t size = sizeof(sockaddr_in);
    EXPECT_EQ(::bind(fd.get(), generic(), size), 0);
    if (type == SOCK_STREAM) {
      EXPECT_EQ(::listen(fd.get(), backlog), 0);
    }
    EXPECT_EQ(::getsockname(fd.get(), generic(), &size), 0);
  }
  sockaddr* generic() { return reinterpret_cast<sockaddr*>(&address); }
  std::string text() const { return base::Endpoint::of(address).text(); }

  base::UniqueFd fd;
  sockaddr_storage address{};
};

/// A gate, and its broker for a source with this URI.
class Connected final : public access::AccessBroker::Listener {
 public:
  explicit Connected(const std::string& uri) {
    auto [access, their_access] = wire::channel_sockets();
    auto [lookup, their_lookup] = wire::channel_sockets();
    broker_.emplace(access::access_rules({.uri = uri}), std::make_shared<access::StreamAccess>(),
                    std::move(access), std::move(lookup), *this);
    gate.emplace(std::move(their_access), std::move(their_lookup));
    gate->on_refused([this](std::string reason) { refused = std::move(reason); });
  }

  void on_refused(const access::Refusal&) override {}
  void on_broken(std::string how) override { ADD_FAILURE() << how; }
  void end_broker() { broker_.reset(); }

  std::optional<AccessGate> gate;
  std::string refused;

 private:
  std::optional<access::AccessBroker> broker_;
};

constexpr socklen_t kSize = sizeof(sockaddr_in);

msghdr message_to(Peer& peer, iovec& part) {
  msghdr message{};
  message.msg_name = peer.generic();
  message.msg_namelen = kSize;
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  return message;
}

TEST(AccessGateTest, ABlockingSocketIsConnectedAndStaysBlocking) {
  Peer peer{SOCK_STREAM};
  Connected source{"http://" + peer.text() + "/"};
  const auto socket = make_socket(SOCK_STREAM);
  ASSERT_EQ(source.gate->connect(socket.get(), peer.generic(), kSize), 0);
  EXPECT_EQ(::fcntl(socket.get(), F_GETFL) & O_NONBLOCK, 0);
  EXPECT_EQ(::send(socket.get(), "a", 1, 0), 1);
}

TEST(AccessGateTest, ANonBlockingSocketIsConnectedLater) {
  Peer peer{SOCK_STREAM};
  Connected source{"http://" + peer.text() + "/"};
  const auto socket = make_socket(SOCK_STREAM | SOCK_NONBLOCK);
  const int result = source.gate->connect(socket.get(), peer.generic(), kSize);
  EXPECT_TRUE(result == 0 || errno == EINPROGRESS);
  EXPECT_NE(::fcntl(socket.get(), F_GETFL) & O_NONBLOCK, 0);
}

TEST(AccessGateTest, NobodyListens) {
  Peer peer{SOCK_STREAM};
  Connected source{"http://" + peer.text() + "/"};
  peer.fd.reset();
  const auto socket = make_socket(SOCK_STREAM);
  EXPECT_EQ(source.gate->connect(socket.get(), peer.generic(), kSize), -1);
  EXPECT_EQ(errno, ECONNREFUSED);
  EXPECT_EQ(source.refused, "");
}

/// A listener whose queue is full does not answer.
TEST(AccessGateTest, TheTimeoutOfSendingEndsTheWait) {
  Peer peer{SOCK_STREAM, 0};
  Connected source{"http://" + peer.text() + "/"};
  const auto first = make_socket(SOCK_STREAM);
  ASSERT_EQ(source.gate->connect(first.get(), peer.generic(), kSize), 0);
  const auto socket = make_socket(SOCK_STREAM);
  const timeval timeout{.tv_sec = 0, .tv_usec = 50'000};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
  EXPECT_EQ(source.gate->connect(socket.get(), peer.generic(), kSize), -1);
  EXPECT_EQ(errno, EINPROGRESS);
}

TEST(AccessGateTest, ErrorsAreThoseOfTheCalls) {
  Peer peer{SOCK_STREAM};
  Connected source{"http://" + peer.text() + "/"};
  EXPECT_EQ(source.gate->connect(-1, peer.generic(), kSize), -1);
  EXPECT_EQ(errno, EBADF);
  Peer taken{SOCK_DGRAM};
  Connected udp{"udp://" + taken.text()};
  const auto socket = make_socket(SOCK_DGRAM);
  EXPECT_EQ(udp.gate->bind(socket.get(), taken.generic(), kSize), -1);
  EXPECT_EQ(errno, EADDRINUSE);
}

TEST(AccessGateTest, SendsDatagrams) {
  Peer peer{SOCK_DGRAM};
  Connected source{"srt://" + peer.text()};
  const auto socket = make_socket(SOCK_DGRAM);
  char text[] = "abc";
  iovec part{.iov_base = text, .iov_len = 3};
  EXPECT_EQ(source.gate->send(socket.get(), message_to(peer, part), 0), 3);
  char received[8];
  EXPECT_EQ(::recv(peer.fd.get(), received, sizeof received, 0), 3);
  std::vector<char> large(3000);
  iovec too_much{.iov_base = large.data(), .iov_len = large.size()};
  EXPECT_EQ(source.gate->send(socket.get(), message_to(peer, too_much), 0), -1);
  EXPECT_EQ(errno, EMSGSIZE);
}

TEST(AccessGateTest, ARefusedDatagramFailsAndTheSourceGoesOn) {
  Peer peer{SOCK_DGRAM};
  Connected source{"rtsp://192.0.2.1/"};
  const auto socket = make_socket(SOCK_DGRAM);
  char text[] = "abc";
  iovec part{.iov_base = text, .iov_len = 3};
  EXPECT_EQ(source.gate->send(socket.get(), message_to(peer, part), 0), -1);
  EXPECT_EQ(errno, EPERM);
  EXPECT_EQ(source.refused, "");
}

TEST(AccessGateTest, ARefusedConnectionEndsTheSource) {
  Peer peer{SOCK_STREAM};
  Connected source{"http://1.1.1.1/"};
  const auto socket = make_socket(SOCK_STREAM);
  EXPECT_EQ(source.gate->connect(socket.get(), peer.generic(), kSize), -1);
  EXPECT_EQ(errno, EACCES);
  EXPECT_NE(source.refused.find("an address of this machine"), std::string::npos);
}

TEST(AccessGateTest, AsksWhetherAUriMayBeOpened) {
  Connected source{"http://1.1.1.1/"};
  EXPECT_TRUE(source.gate->may_open("https://a.example/x?y"));
  EXPECT_EQ(source.refused, "");
  for (const auto* uri : {"file:///etc/passwd", "fd://3", "http://10.0.0.1/", "http://2130706433/",
                          "http://localhost:8080/metrics", "http://[::1]/", "nothing", ""}) {
    source.refused.clear();
    EXPECT_FALSE(source.gate->may_open(uri)) << uri;
    EXPECT_NE(source.refused, "") << uri;
  }
  EXPECT_FALSE(source.gate->may_open("http://" + std::string(300, 'a') + "/"));
}

TEST(AccessGateTest, LooksUpNames) {
  Connected source{"http://localhost/"};
  std::vector<sockaddr_storage> addresses;
  EXPECT_EQ(source.gate->look_up("localhost", addresses), 0);
  EXPECT_FALSE(addresses.empty());
  EXPECT_LT(source.gate->look_up("a..b", addresses), 0);
}

TEST(AccessGateTest, FailsOnceTheServerHasGone) {
  Peer peer{SOCK_STREAM};
  Connected source{"http://" + peer.text() + "/"};
  source.end_broker();
  const auto socket = make_socket(SOCK_STREAM);
  EXPECT_EQ(source.gate->connect(socket.get(), peer.generic(), kSize), -1);
  EXPECT_EQ(errno, EACCES);
  std::vector<sockaddr_storage> addresses;
  EXPECT_EQ(source.gate->look_up("localhost", addresses), EAI_AGAIN);
}

}  // namespace
}  // namespace transcoder
