#include "tcpinfo/ebpf/congestion_controls.h"

#include <grp.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <linux/inet_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "loopback.h"
#include "needs.h"
#include "offered.h"
#include "tcpinfo/congestion_control.h"
#include "tcpinfo/socket_control.h"
#include "tcpinfo/socket_sampler.h"

namespace tcpinfo {
namespace {

using namespace std::chrono_literals;

/// Sends and receives `bytes` over the connection.
void move(const Loopback& connection, std::size_t bytes) {
  std::array<char, 65536> buffer{};
  for (std::size_t moved = 0; moved < bytes;) {
    const auto sent = ::send(connection.sender(), buffer.data(), buffer.size(), 0);
    ASSERT_GT(sent, 0);
    for (ssize_t left = sent; left > 0;) {
      const auto got = ::recv(connection.receiver(), buffer.data(), static_cast<size_t>(left), 0);
      ASSERT_GT(got, 0);
      left -= got;
    }
    moved += static_cast<std::size_t>(sent);
  }
}

tcp_bbr_info bbr(int fd) {
  tcp_cc_info info{};
  socklen_t length = sizeof info;
  EXPECT_EQ(::getsockopt(fd, IPPROTO_TCP, TCP_CC_INFO, &info, &length), 0);
  return info.bbr;
}

/// Runs `body` in a child process and returns its result.
int in_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void become_nobody() {
  ::setgroups(0, nullptr);
  ::setgid(65534);
  ::setuid(65534);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> none{};
  ::syscall(SYS_capset, &header, none.data());
}

/// `from` without `these`.
std::set<std::uint32_t> without(const std::set<std::uint32_t>& these,
                                std::set<std::uint32_t> from) {
  std::erase_if(from, [&](std::uint32_t id) { return these.contains(id); });
  return from;
}

/// Loads once for all tests, because loading takes 0.1 s.
class CongestionControlsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto loaded = CongestionControls::load();
    if (loaded) {
      controls_ = std::move(*loaded);
    } else {
      why_not_ = loaded.error();
    }
  }
  static void TearDownTestSuite() { controls_.reset(); }

  void SetUp() override {
    if (!controls_) return end_without({CAP_BPF, CAP_PERFMON}, why_not_);
    hints_ = SocketHints{controls_->own()};
  }

  static inline std::unique_ptr<CongestionControls> controls_;
  static inline std::string why_not_;
  SocketHints hints_;
  Loopback connection_;
};

TEST_F(CongestionControlsTest, EachCongestionControlTransfersData) {
  for (const auto& name : controls_->own().names) {
    const Loopback connection;
    const auto applied = hints_.apply(connection.sender(), {.congestion_control = name,
                                                            .video_rate = base::BitRate::mbps(5),
                                                            .capacity = base::BitRate::mbps(20)});
    EXPECT_EQ(applied.congestion_control, name) << applied.error;
    move(connection, 3'000'000);
    EXPECT_EQ(congestion_control(connection.sender()), name);
    EXPECT_GE(read_tcp_info(connection.sender())->info.snd_cwnd, 4u) << name;
  }
}

TEST_F(CongestionControlsTest, SsthreshAndWindowAreSetAndKept) {
  for (const std::string name : {"reno", "cubic", "sym_vreno", "sym_vcubic", "sym_libra"}) {
    const Loopback connection;
    const auto applied =
        hints_.apply(connection.sender(), {.congestion_control = name, .ssthresh = 37, .cwnd = 20});
    EXPECT_EQ(applied.error, "");
    EXPECT_EQ(applied.congestion_control, name);
    EXPECT_EQ(applied.ssthresh, 37u) << name;
    EXPECT_EQ(applied.cwnd, 20u) << name;
  }
}

TEST_F(CongestionControlsTest, TheVideoRateSetsSsthresh) {
  const auto applied = hints_.apply(
      connection_.sender(), {.congestion_control = "reno", .video_rate = base::BitRate::mbps(50)});
  const auto mss = read_tcp_info(connection_.sender())->info.snd_mss;
  EXPECT_EQ(applied.ssthresh, video_rate_ssthresh(base::BitRate::mbps(50), 0ms, mss));
  EXPECT_FALSE(applied.paced_instead);
}

TEST_F(CongestionControlsTest, ThatSsthreshIsNoSmallerThanAFrame) {
  const auto rate = base::BitRate::mbps(50);
  const auto applied = hints_.apply(
      connection_.sender(), {.congestion_control = "reno", .video_rate = rate, .burst = 60ms});
  const auto mss = read_tcp_info(connection_.sender())->info.snd_mss;
  EXPECT_EQ(applied.ssthresh, video_rate_ssthresh(rate, 60ms, mss));
  EXPECT_GE(base::ByteCount{std::int64_t{*applied.ssthresh} * mss}, rate * 60ms);
}

TEST_F(CongestionControlsTest, HintsChangeMidConnection) {
  hints_.apply(connection_.sender(), {.congestion_control = "cubic", .ssthresh = 37});
  move(connection_, 1'000'000);
  const auto applied = hints_.apply(connection_.sender(), {.ssthresh = 20, .cwnd = 60});
  EXPECT_EQ(applied.congestion_control, "cubic");
  EXPECT_EQ(applied.ssthresh, 20u);
  EXPECT_EQ(applied.cwnd, 60u);
}

// A restarted bbr does not pause to probe the minimum RTT (abr::SymbiosisPolicy).
TEST_F(CongestionControlsTest, BbrRestartsWithTheGivenWindow) {
  if (!set_congestion_control(connection_.sender(), "bbr")) GTEST_SKIP() << "no bbr here";
  move(connection_, 1'000'000);
  EXPECT_GT(bbr(connection_.sender()).bbr_bw_lo, 0u);
  const auto applied = hints_.apply(connection_.sender(), {.ssthresh = 60, .cwnd = 60});
  EXPECT_EQ(applied.congestion_control, "bbr");
  EXPECT_EQ(applied.cwnd, 60u);
  EXPECT_EQ(applied.ssthresh, std::nullopt);
  EXPECT_EQ(bbr(connection_.sender()).bbr_bw_lo, 0u);
}

TEST_F(CongestionControlsTest, LeavingBbrSetsAFiniteSsthresh) {
  if (!set_congestion_control(connection_.sender(), "bbr")) GTEST_SKIP() << "no bbr here";
  move(connection_, 1'000'000);
  ASSERT_GE(read_tcp_info(connection_.sender())->info.snd_ssthresh, kInfiniteSsthresh);
  const auto applied = hints_.apply(connection_.sender(), {.congestion_control = "cubic"});
  EXPECT_EQ(applied.congestion_control, "cubic");
  ASSERT_TRUE(applied.ssthresh);
  EXPECT_LT(*applied.ssthresh, 1u << 20);
}

TEST_F(CongestionControlsTest, LeavingBbrBeforeAnyDataKeepsSlowStart) {
  if (!set_congestion_control(connection_.sender(), "bbr")) GTEST_SKIP() << "no bbr here";
  const auto applied = hints_.apply(connection_.sender(), {.congestion_control = "cubic"});
  EXPECT_EQ(applied.congestion_control, "cubic");
  EXPECT_EQ(applied.ssthresh, std::nullopt);
}

TEST_F(CongestionControlsTest, AnUnknownNameIsRefusedAndChangesNothing) {
  const auto before = congestion_control(connection_.sender());
  const auto applied = hints_.apply(connection_.sender(), {.congestion_control = "nonesuch"});
  EXPECT_EQ(applied.congestion_control, before);
  EXPECT_NE(applied.error.find("sym_libra"), std::string::npos) << applied.error;
}

TEST_F(CongestionControlsTest, HintsNeedNoPrivileges) {
  EXPECT_EQ(0, in_child([&] {
              become_nobody();
              for (const std::string name : {"cubic", "sym_libra", "reno"}) {
                const Loopback connection;
                const auto applied =
                    hints_.apply(connection.sender(), {.congestion_control = name, .ssthresh = 37});
                if (applied.congestion_control != name || applied.ssthresh != 37u) return 1;
              }
              return 0;
            }));
}

TEST_F(CongestionControlsTest, TwoServersOnOneMachineUseDifferentNames) {
  auto other = CongestionControls::load();
  ASSERT_TRUE(other) << other.error();
  EXPECT_NE((*other)->own().suffix, controls_->own().suffix);
  const SocketHints other_hints{(*other)->own()};
  const auto theirs =
      other_hints.apply(connection_.sender(), {.congestion_control = "sym_libra", .ssthresh = 37});
  EXPECT_EQ(theirs.congestion_control, "sym_libra");
  EXPECT_EQ(theirs.ssthresh, 37u);
  // A connection may have another server's congestion control, inherited from its listener. It gets
  // ours of the same name.
  const auto libra = hints_.kernel_name("sym_libra");
  hints_.apply(connection_.sender(), {.congestion_control = "sym_libra"});
  EXPECT_EQ(congestion_control_in_kernel(connection_.sender()), libra);
  other->reset();
  EXPECT_TRUE(is_offered(libra));
}

TEST_F(CongestionControlsTest, SymPokeShortensTheMinimumRto) {
  for (const auto* name : {"reno", "sym_libra"}) {
    Loopback connection;
    hints_.apply(connection.sender(), {.congestion_control = name, .ssthresh = 37});
    ASSERT_TRUE(hints_.poke_rto_min(connection.sender(), 40ms)) << strerror(errno);
    EXPECT_EQ(congestion_control(connection.sender()), name);
    EXPECT_EQ(read_tcp_info(connection.sender())->info.snd_ssthresh, 37u);
    EXPECT_FALSE(hints_.poke_rto_min(connection.sender(), 1us)) << "less than two ticks";
    EXPECT_EQ(congestion_control(connection.sender()), name);
    // Each round trip lowers the handshake's RTT variance by at most a quarter. The kernel's own
    // minimum is 200 ms.
    EXPECT_TRUE(eventually([&] {
      connection.send("x");
      return std::chrono::microseconds{read_tcp_info(connection.sender())->info.rto} < 100ms;
    }));
  }
}

TEST_F(CongestionControlsTest, NothingIsLeftBehind) {
  const auto ours = held_maps(::getpid());
  auto other = CongestionControls::load();
  ASSERT_TRUE(other) << other.error();
  const auto poke = "sym_poke" + (*other)->own().suffix;
  EXPECT_TRUE(is_offered(poke));
  const auto theirs = without(ours, held_maps(::getpid()));
  EXPECT_FALSE(theirs.empty());
  other->reset();
  EXPECT_TRUE(eventually([&] { return all_gone(theirs); }));
}

TEST_F(CongestionControlsTest, AKilledServerLeavesNothingBehind) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const pid_t server = ::fork();
  if (server == 0) {
    const auto theirs = CongestionControls::load();
    const std::string poke = theirs ? "sym_poke" + (*theirs)->own().suffix : "nothing";
    if (::write(ends[1], poke.data(), poke.size()) < 0) ::_exit(1);
    ::pause();
  }
  std::array<char, 16> poke{};
  ASSERT_GT(::read(ends[0], poke.data(), poke.size()), 0);
  EXPECT_TRUE(is_offered(poke.data()));
  const auto theirs = without(held_maps(::getpid()), held_maps(server));
  EXPECT_FALSE(theirs.empty());
  ::kill(server, SIGKILL);
  ::waitpid(server, nullptr, 0);
  EXPECT_TRUE(eventually([&] { return all_gone(theirs); }));
  for (const int end : ends) ::close(end);
}

}  // namespace
}  // namespace tcpinfo
