#include "transcoder/access/access_broker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netdb.h>

#include <cerrno>
#include <chrono>
#include <future>
#include <mutex>

#include "sockets.h"
#include "transcoder/access/granted_socket.h"
#include "transcoder/wire/access_message.h"
#include "transcoder/wire/channel.h"

namespace transcoder::access {
namespace {

using namespace std::chrono_literals;
using wire::Channel;

/// Names and their address, in place of a name service.
Resolver::Answer fake_name_service(const std::string& name) {
  if (name == "public.example") return {.addresses = {*base::Address::parse("1.1.1.1")}};
  if (name == "evil.example") return {.addresses = {*base::Address::parse("127.0.0.1")}};
  if (name == "cam.lan") return {.addresses = {*base::Address::parse("127.0.0.1")}};
  return {.error = EAI_NONAME};
}

class Notes final : public AccessBroker::Listener {
 public:
  void on_refused(const Refusal& refusal) override {
    std::lock_guard lock{mutex_};
    refused_.push_back(refusal.place);
  }
  void on_broken(std::string how) override { broken_.set_value(std::move(how)); }

  std::vector<std::string> refused() {
    std::lock_guard lock{mutex_};
    return refused_;
  }
  std::string broken() {
    auto how = broken_.get_future();
    return how.wait_for(60s) == std::future_status::ready ? how.get() : "no";
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> refused_;  // GUARDED_BY(mutex_)
  std::promise<std::string> broken_;
};

/// The end of a source's process, of a source with this URI.
class Process {
 public:
  explicit Process(const std::string& uri, std::shared_ptr<StreamAccess> stream =
                                               std::make_shared<StreamAccess>(fake_name_service)) {
    auto [ours, access] = wire::channel_sockets();
    auto [our_lookup, lookup] = wire::channel_sockets();
    access_.emplace(std::move(ours));
    lookup_.emplace(std::move(our_lookup));
    broker_.emplace(access_rules({.uri = uri}), std::move(stream), std::move(access),
                    std::move(lookup), notes);
  }

  wire::AccessAnswer ask(wire::AccessRequest request, int fd = -1) {
    return ask(*access_, std::move(request), fd);
  }
  wire::AccessAnswer look_up(const std::string& name) {
    return ask(*lookup_, wire::Lookup{name}, -1);
  }
  void send(std::vector<std::uint8_t> message, int fd = -1) {
    EXPECT_EQ(access_->send(message, Channel::Wait::kForever, fd), Channel::Sent::kDone);
  }
  void send_lookup(std::vector<std::uint8_t> message) {
    EXPECT_EQ(lookup_->send(message, Channel::Wait::kForever), Channel::Sent::kDone);
  }
  void end_broker() { broker_.reset(); }

  Notes notes;

 private:
  static wire::AccessAnswer ask(Channel& channel, wire::AccessRequest request, int fd) {
    EXPECT_EQ(channel.send(wire::encode(std::move(request)), Channel::Wait::kForever, fd),
              Channel::Sent::kDone);
    const auto received = channel.receive(Channel::Wait::kForever);
    if (!received || received->status != Channel::Received::Status::kMessage) {
      ADD_FAILURE() << "no answer";
      return {};
    }
    return *wire::decode_access_answer(received->message);
  }

  std::optional<Channel> access_;
  std::optional<Channel> lookup_;
  std::optional<AccessBroker> broker_;
};

int error_in(const wire::AccessAnswer& answer) {
  const auto* const failed = std::get_if<wire::Failed>(&answer);
  return failed != nullptr ? failed->error : 0;
}

bool is_done(const wire::AccessAnswer& answer) {
  return std::holds_alternative<wire::Done>(answer);
}

bool is_refused(const wire::AccessAnswer& answer) {
  return std::holds_alternative<wire::Refused>(answer);
}

std::string uri_at(const char* scheme, const base::Endpoint& endpoint) {
  return fmt::format("{}://{}/", scheme, endpoint.text());
}

TEST(AccessBrokerTest, ConnectsAsTheProcessWouldHave) {
  const Listener listener{SOCK_STREAM};
  Process process{uri_at("http", listener.endpoint)};
  const auto socket = make_socket(SOCK_STREAM | SOCK_NONBLOCK);
  const auto answer = process.ask(wire::Connect{bytes(listener.endpoint)}, socket.get());
  EXPECT_TRUE(is_done(answer) || error_in(answer) == EINPROGRESS);
  const base::UniqueFd accepted{::accept(listener.fd.get(), nullptr, nullptr)};
  EXPECT_TRUE(accepted);
  EXPECT_EQ(::send(socket.get(), "a", 1, 0), 1);
  char received = 0;
  EXPECT_EQ(::recv(accepted.get(), &received, 1, 0), 1);
  EXPECT_TRUE(process.notes.refused().empty());
}

TEST(AccessBrokerTest, RefusesAnAddressAndSaysSo) {
  const Listener listener{SOCK_STREAM};
  Process process{"http://public.example/"};
  const auto socket = make_socket(SOCK_STREAM);
  const auto answer = process.ask(wire::Connect{bytes(listener.endpoint)}, socket.get());
  ASSERT_TRUE(is_refused(answer));
  EXPECT_NE(std::get<wire::Refused>(answer).reason.find("an address of this machine"),
            std::string::npos);
  EXPECT_EQ(process.notes.refused(), std::vector{listener.endpoint.text()});
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  EXPECT_NE(::getpeername(socket.get(), reinterpret_cast<sockaddr*>(&peer), &size), 0);
}

TEST(AccessBrokerTest, ReturnsTheErrorsOfTheSystem) {
  const Listener taken{SOCK_DGRAM};
  Process process{fmt::format("udp://127.0.0.1:{}", taken.endpoint.port)};
  const auto socket = make_socket(SOCK_DGRAM);
  EXPECT_EQ(error_in(process.ask(wire::Bind{bytes(taken.endpoint)}, socket.get())), EADDRINUSE);
  std::vector<std::uint8_t> local(16);
  local.front() = AF_UNIX;
  EXPECT_EQ(error_in(process.ask(wire::Bind{local}, socket.get())), EAFNOSUPPORT);
}

TEST(AccessBrokerTest, BindsAndSendsDatagrams) {
  const Listener peer{SOCK_DGRAM};
  Process process{uri_at("srt", peer.endpoint)};
  const auto socket = make_socket(SOCK_DGRAM);
  EXPECT_TRUE(is_done(process.ask(wire::Bind{bytes("127.0.0.1:0")}, socket.get())));
  const auto sent = process.ask(wire::SendTo{bytes(peer.endpoint), {1, 2, 3}}, socket.get());
  ASSERT_TRUE(is_done(sent));
  EXPECT_EQ(std::get<wire::Done>(sent).bytes, 3u);
  char received[8];
  EXPECT_EQ(::recv(peer.fd.get(), received, sizeof received, 0), 3);
  EXPECT_TRUE(is_refused(process.ask(wire::SendTo{bytes("1.1.1.1:9000"), {1}}, socket.get())));
}

TEST(AccessBrokerTest, LooksUpAndJudgesNames) {
  Process process{"http://public.example/"};
  const auto found = process.look_up("public.example");
  ASSERT_TRUE(std::holds_alternative<wire::Found>(found));
  const auto address = call_address(std::get<wire::Found>(found).addresses.front());
  EXPECT_EQ(address->endpoint.text(), "1.1.1.1:0");
  EXPECT_EQ(error_in(process.look_up("nothing.example")), EAI_NONAME);
  EXPECT_TRUE(is_refused(process.look_up("evil.example")));
  EXPECT_EQ(process.notes.refused(), std::vector<std::string>{"evil.example"});
}

TEST(AccessBrokerTest, ItsOwnNameLeadsToItsOwnHost) {
  const Listener listener{SOCK_STREAM};
  Process process{fmt::format("http://cam.lan:{}/", listener.endpoint.port)};
  const auto socket = make_socket(SOCK_STREAM);
  const auto connect = wire::Connect{bytes(listener.endpoint)};
  EXPECT_TRUE(is_refused(process.ask(connect, socket.get()))) << "before its name is looked up";
  process.look_up("cam.lan");
  EXPECT_FALSE(is_refused(process.ask(connect, socket.get())));
}

TEST(AccessBrokerTest, RemembersOverAllTriesThatANameWasPublic) {
  const auto stream = std::make_shared<StreamAccess>(fake_name_service);
  Process first{"http://cam.lan/", stream};
  EXPECT_FALSE(is_refused(first.look_up("cam.lan")));
  first.end_broker();
  stream->history.may_be_private("evil.example", false);
  Process second{"http://evil.example/", stream};
  EXPECT_TRUE(is_refused(second.look_up("evil.example")));
}

TEST(AccessBrokerTest, JudgesUris) {
  Process process{"http://public.example/"};
  EXPECT_TRUE(is_done(process.ask(wire::MayOpen{"https", "public.example", 443, "/"})));
  EXPECT_TRUE(is_refused(process.ask(wire::MayOpen{"file", "", 0, "/etc/passwd"})));
  EXPECT_TRUE(is_refused(process.ask(wire::MayOpen{"http", "localhost", 80, "/"})));
  EXPECT_EQ(process.notes.refused(),
            (std::vector<std::string>{"file:///etc/passwd", "http://localhost:80/"}));
}

TEST(AccessBrokerTest, ManyConnectionsBecomeSlow) {
  const Listener listener{SOCK_STREAM};
  Process process{uri_at("http", listener.endpoint)};
  const auto begin = base::Clock::now();
  for (int i = 0; i < 23; ++i) {
    const auto socket = make_socket(SOCK_STREAM);
    EXPECT_FALSE(is_refused(process.ask(wire::Connect{bytes(listener.endpoint)}, socket.get())));
  }
  EXPECT_GE(base::Clock::now() - begin, 400ms) << "20 at once, then 5 per second";
}

TEST(AccessBrokerTest, EndsWhileALookupHangs) {
  std::promise<void> release;
  const auto released = release.get_future().share();
  Process process{"http://a.example/",
                  std::make_shared<StreamAccess>([released](const std::string&) {
                    released.wait();
                    return Resolver::Answer{};
                  })};
  process.send_lookup(wire::encode(wire::Lookup{"a.example"}));
  EXPECT_TRUE(is_done(process.ask(wire::MayOpen{"http", "1.1.1.1", 80, "/"})));
  process.end_broker();
  release.set_value();
}

/// Messages that no honest process sends.
TEST(AccessBrokerTest, NoticesLies) {
  const auto local = base::UniqueFd{::socket(AF_UNIX, SOCK_STREAM, 0)};
  const auto file = base::UniqueFd{::open("/dev/null", O_RDWR | O_CLOEXEC)};
  const auto socket = make_socket(SOCK_STREAM);
  const auto connect = wire::encode(wire::Connect{bytes("1.1.1.1:80")});
  const auto uri = wire::encode(wire::MayOpen{"http", "a", 80, "/"});
  struct Lie {
    std::vector<std::uint8_t> message;
    int fd;
    const char* what;
  };
  const Lie lies[]{
      {connect, -1, "no descriptor"},
      {connect, local.get(), "a descriptor of domain"},
      {connect, file.get(), "a descriptor of domain"},
      {uri, socket.get(), "a descriptor without need"},
      {wire::encode(wire::Lookup{"a"}), -1, "a lookup out of place"},
      {{99, 1, 2}, -1, "kind 99"},
      {{0}, socket.get(), "connect"},
  };
  for (const auto& [message, fd, what] : lies) {
    Process process{"http://1.1.1.1/"};
    process.send(message, fd);
    const auto how = process.notes.broken();
    EXPECT_NE(how.find(what), std::string::npos) << how << ", not: " << what;
  }
  Process process{"http://1.1.1.1/"};
  process.send_lookup(uri);
  EXPECT_EQ(process.notes.broken(), "not a lookup");
}

TEST(AccessBrokerTest, EndsWhenTheProcessDoes) {
  Process process{"http://1.1.1.1/"};
  process.end_broker();
}

}  // namespace
}  // namespace transcoder::access
