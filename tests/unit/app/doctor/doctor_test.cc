#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <fstream>

#include "app/doctor/doctor_kernel.h"
#include "app/doctor/doctor_machine.h"
#include "app/doctor/doctor_media.h"
#include "app/doctor/doctor_proxies.h"
#include "app/doctor/doctor_streams.h"
#include "base/system_error.h"
#include "base/unique_fd.h"
#include "test_files.h"

namespace app {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;

auto finding(const std::string& subject, Verdict verdict) {
  return AllOf(Field(&Finding::subject, subject), Field(&Finding::verdict, verdict));
}

Config listening_on(const std::string& endpoint) {
  auto config = default_config();
  config.server.listen = {*server::Endpoint::parse(endpoint)};
  return config;
}

TEST(DoctorTest, ReadsTcpInfo) {
  EXPECT_THAT(examine_kernel(default_config()), Contains(finding("TCP_INFO", Verdict::kOk)));
}

TEST(DoctorTest, AConfiguredCongestionControlThatIsMissingIsALimitation) {
  auto config = default_config();
  config.streams[0].tcp.congestion_control = "nonsense";
  EXPECT_THAT(examine_kernel(config), Contains(finding("nonsense", Verdict::kLimited)));
}

TEST(DoctorTest, ARetransmissionTimerBelowTwoTicksIsALimitation) {
  auto config = default_config();
  config.streams.push_back(config.streams[0]);
  config.streams[0].tcp.rto_min = {};
  config.streams[1].tcp.rto_min = std::chrono::microseconds{1};
  EXPECT_THAT(examine_kernel(config), Contains(finding("tcp.rto_min", Verdict::kLimited)));
}

TEST(DoctorTest, ASmallSendBufferIsALimitation) {
  auto config = default_config();
  config.streams[0].control.rate.max = base::BitRate::mbps(100'000);
  EXPECT_THAT(examine_kernel(config), Contains(finding("send buffer", Verdict::kLimited)));
}

TEST(DoctorTest, UnreadableSysctlsAreALimitation) {
  const auto findings = examine_kernel(default_config(), Sysctls{"/nowhere"});
  EXPECT_THAT(findings, Contains(finding("slow start after idle", Verdict::kLimited)));
  EXPECT_THAT(findings, Contains(finding("send buffer", Verdict::kLimited)));
}

TEST(DoctorTest, ARouteThatCannotBeSetIsALimitation) {
  auto config = default_config();
  config.streams[0].tcp.networks = {
      {.network = *server::Network::parse("127.0.0.0/8"), .initcwnd = 30}};
  EXPECT_THAT(examine_kernel(config), Contains(finding("127.0.0.0/8", Verdict::kLimited)));
}

TEST(DoctorTest, AllEncodersAreOk) {
  EXPECT_THAT(examine_encoders(), testing::Each(Field(&Finding::verdict, Verdict::kOk)));
}

TEST(DoctorTest, TooFewDescriptorsAreALimitation) {
  auto config = listening_on("127.0.0.1:0");
  config.server.max_viewers = 1'000'000;
  EXPECT_THAT(examine_machine(config), Contains(finding("file descriptors", Verdict::kLimited)));
}

TEST(DoctorTest, ATracedViewerNeedsTwoDescriptors) {
  auto config = listening_on("127.0.0.1:0");
  config.server.max_viewers = 5000;
  EXPECT_THAT(examine_machine(config),
              Contains(Field(&Finding::detail, HasSubstr("5000 viewers need 31256"))));
  config.trace_directory = "/tmp";
  EXPECT_THAT(examine_machine(config),
              Contains(Field(&Finding::detail, HasSubstr("5000 viewers need 36256"))));
}

TEST(DoctorTest, TheHardLimitOfDescriptorsCounts) {
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const rlimit lowered{.rlim_cur = 100, .rlim_max = before.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &lowered);
  auto config = listening_on("127.0.0.1:0");
  config.server.max_viewers = 100;
  EXPECT_THAT(examine_machine(config), Contains(finding("file descriptors", Verdict::kOk)));
  ::setrlimit(RLIMIT_NOFILE, &before);
}

TEST(DoctorTest, APrivilegedPortIsALimitation) {
  const TemporaryFile directory;
  std::ofstream{directory.directory() / "ip_unprivileged_port_start"} << "65000\n";
  const auto findings =
      examine_machine(listening_on("127.0.0.1:64999"), Sysctls{directory.directory()});
  EXPECT_THAT(findings, Contains(finding("127.0.0.1:64999", Verdict::kLimited)));
}

TEST(DoctorTest, ASysctlThatIsNoNumberCountsAsUnreadable) {
  const TemporaryFile directory;
  directory.write("ip_unprivileged_port_start", "none\n");
  directory.write("tcp_wmem", "4096 16384 99999999999999999999\n");
  const Sysctls sysctls{directory.directory()};
  EXPECT_THAT(examine_machine(listening_on("127.0.0.1:64999"), sysctls),
              Contains(finding("127.0.0.1:64999", Verdict::kOk)));
  EXPECT_THAT(examine_kernel(default_config(), sysctls),
              Contains(finding("send buffer", Verdict::kLimited)));
}

TEST(DoctorTest, AFreePortIsOk) {
  EXPECT_THAT(examine_machine(listening_on("127.0.0.1:0")),
              Contains(finding("127.0.0.1:0", Verdict::kOk)));
}

TEST(DoctorTest, APortInUseIsALimitation) {
  const base::UniqueFd other{base::check("socket", ::socket(AF_INET, SOCK_STREAM, 0))};
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  base::check("bind", ::bind(other.get(), generic, length));
  base::check("listen", ::listen(other.get(), 1));
  base::check("getsockname", ::getsockname(other.get(), generic, &length));
  const auto endpoint = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  EXPECT_THAT(examine_machine(listening_on(endpoint)),
              Contains(finding(endpoint, Verdict::kLimited)));
}

TEST(DoctorTest, AnAddressOfAnotherMachineIsMissing) {
  EXPECT_THAT(examine_machine(listening_on("192.0.2.1:80")),
              Contains(finding("192.0.2.1:80", Verdict::kMissing)));
}

TEST(DoctorTest, ATraceDirectoryMustExist) {
  auto config = listening_on("127.0.0.1:0");
  config.trace_directory = "/nowhere";
  EXPECT_THAT(examine_machine(config), Contains(finding("trace.directory", Verdict::kMissing)));
}

TEST(DoctorTest, MeasuresTheEncoder) {
  auto config = default_config();
  config.streams[0].media.video = {.max_width = 320, .max_height = 180, .max_frame_rate = 1};
  EXPECT_THAT(examine_stream_encoders(config), Contains(finding("320x180, 1/s", Verdict::kOk)));
}

TEST(DoctorTest, AnEncoderThatIsTooSlowIsALimitation) {
  auto config = default_config();
  config.streams[0].media.video = {.max_width = 320, .max_height = 180, .max_frame_rate = 100'000};
  EXPECT_THAT(examine_stream_encoders(config),
              Contains(finding("320x180, 100000/s", Verdict::kLimited)));
}

/// Receives datagrams to an IPv4 address, at a port of its own.
struct Receiver {
  Receiver(std::uint32_t host, bool shares) {
    const int on = shares;
    ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(host);
    socklen_t length = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    base::check("bind", ::bind(fd.get(), generic, length));
    base::check("getsockname", ::getsockname(fd.get(), generic, &length));
    port = std::to_string(ntohs(address.sin_port));
  }

  base::UniqueFd fd{base::check("socket", ::socket(AF_INET, SOCK_DGRAM, 0))};
  std::string port;
};

Verdict verdict_on_source(const std::string& uri) {
  auto config = default_config();
  config.streams[0].media.source.uri = uri;
  return examine_stream_sources(config).front().verdict;
}

TEST(DoctorTest, ASourceThatCannotPlayIsALimitation) {
  const Receiver other{INADDR_ANY, false};
  for (const auto& uri :
       {std::string{"file:/no/such/film.mp4"}, std::string{"rtsp://no-such-host.invalid/1"},
        std::string{"udp://no-such-host.invalid:5000"},
        std::string{"udp://192.0.2.1:5000"},  // of another machine
        "srt://0.0.0.0:" + other.port, "udp://127.0.0.1:" + other.port,
        "udp://239.255.71.1:" + other.port}) {
    EXPECT_EQ(verdict_on_source(uri), Verdict::kLimited) << uri;
  }
}

TEST(DoctorTest, ReceiversOfAMulticastGroupShareItsPort) {
  const std::uint32_t group = 0xefff4701;  // 239.255.71.1
  const Receiver other{group, true};
  EXPECT_EQ(verdict_on_source("udp://239.255.71.1:" + other.port), Verdict::kOk);
  EXPECT_EQ(verdict_on_source("udp://239.255.71.2:" + other.port), Verdict::kOk);
}

TEST(DoctorTest, APortOfAnotherAddressIsFree) {
  const Receiver other{INADDR_LOOPBACK + 1, false};
  EXPECT_EQ(verdict_on_source("srt://127.0.0.1:" + other.port + "?mode=listener"), Verdict::kOk);
  EXPECT_EQ(verdict_on_source("srt://:" + other.port), Verdict::kLimited);
}

TEST(DoctorTest, AProxyIsALimitation) {
  auto config = default_config();
  EXPECT_THAT(examine_proxies(config, std::size_t{0}), Contains(finding("proxies", Verdict::kOk)));
  EXPECT_THAT(examine_proxies(config, std::size_t{1}),
              Contains(finding("proxies", Verdict::kLimited)));
  EXPECT_THAT(examine_proxies(config, base::Error{"no netlink"}),
              Contains(finding("proxies", Verdict::kLimited)));
  config.server.trusted_proxies = {*server::Network::parse("10.0.0.0/8")};
  EXPECT_THAT(examine_proxies(config, std::size_t{0}),
              Contains(AllOf(finding("proxies", Verdict::kLimited),
                             Field(&Finding::detail, HasSubstr("10.0.0.0/8")))));
}

TEST(DoctorTest, CountsConnectionsFromThisMachine) {
  const base::UniqueFd listening{::socket(AF_INET, SOCK_STREAM, 0)};
  sockaddr_in address{
      .sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(::bind(listening.get(), generic, size), 0);
  ASSERT_EQ(::listen(listening.get(), 1), 0);
  ASSERT_EQ(::getsockname(listening.get(), generic, &size), 0);
  const auto config = listening_on("127.0.0.1:" + std::to_string(ntohs(address.sin_port)));
  EXPECT_EQ(*local_connections(config), 0u);
  const base::UniqueFd client{::socket(AF_INET, SOCK_STREAM, 0)};
  ASSERT_EQ(::connect(client.get(), generic, size), 0);
  EXPECT_EQ(*local_connections(config), 1u);
}

}  // namespace
}  // namespace app
