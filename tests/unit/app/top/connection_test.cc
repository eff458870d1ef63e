#include "app/top/connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diag_sockets.h"

namespace app {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

constexpr base::Time kBefore{100s};
constexpr base::Time kNow = kBefore + 2s;

Connection only(const tcpinfo::DiagSocket& before, const tcpinfo::DiagSocket& now) {
  const auto all = connections({kBefore, {before}}, {kNow, {now}});
  EXPECT_EQ(all.size(), 1u);
  return all.at(0);
}

TEST(ConnectionTest, CountersCoverTheInterval) {
  auto before = diag_socket(1);
  before.tcp_info.info.bytes_acked = 1'000'000;
  before.tcp_info.info.data_segs_out = 700;
  before.tcp_info.info.total_retrans = 10;
  before.tcp_info.info.total_rto = 2;
  auto now = before;
  now.tcp_info.info.bytes_acked += 250'000;
  now.tcp_info.info.data_segs_out += 180;
  now.tcp_info.info.total_retrans += 3;
  now.tcp_info.info.total_rto += 1;
  const auto connection = only(before, now);
  EXPECT_EQ(connection.rate, base::BitRate::mbps(1));
  EXPECT_EQ(connection.segments_sent, 180u);
  EXPECT_EQ(connection.retransmits, 3u);
  EXPECT_EQ(connection.now.total_retransmits, 13u);
  EXPECT_EQ(connection.timeouts, 1u);
}

TEST(ConnectionTest, TimesBecomeSharesOfTheInterval) {
  auto before = diag_socket(1);
  before.tcp_info.info.busy_time = 5'000'000;
  auto now = before;
  now.tcp_info.info.busy_time += 1'000'000;
  now.tcp_info.info.rwnd_limited += 500'000;
  now.tcp_info.info.sndbuf_limited += 2'100'000;  // accounted for in jiffies
  const auto connection = only(before, now);
  EXPECT_DOUBLE_EQ(connection.busy, 0.5);
  EXPECT_DOUBLE_EQ(connection.rwnd_limited, 0.25);
  EXPECT_DOUBLE_EQ(connection.sndbuf_limited, 1);
}

TEST(ConnectionTest, CountersOfANewConnectionBeganAtZero) {
  auto now = diag_socket(2);
  now.tcp_info.info.bytes_acked = 250'000;
  now.tcp_info.info.total_retrans = 1;
  const auto connection = only(diag_socket(1), now);
  EXPECT_EQ(connection.rate, base::BitRate::mbps(1));
  EXPECT_EQ(connection.retransmits, 1u);
}

TEST(ConnectionTest, AConnectionThatEndedIsNotShown) {
  EXPECT_TRUE(connections({kBefore, {diag_socket(1)}}, {kNow, {}}).empty());
}

TEST(ConnectionTest, ListenersAreNotShown) {
  auto listener = diag_socket(1);
  listener.state = tcpinfo::TcpState::kListen;
  EXPECT_TRUE(connections({kBefore, {}}, {kNow, {listener}}).empty());
}

TEST(ConnectionTest, TimeoutsWrapAt16Bits) {
  auto before = diag_socket(1);
  before.tcp_info.info.total_rto = 65'535;
  auto now = before;
  now.tcp_info.info.total_rto = 1;
  EXPECT_EQ(only(before, now).timeouts, 2u);
}

TEST(ConnectionTest, BeforeLinux67TimeoutsAreUnknown) {
  auto now = diag_socket(1);
  now.tcp_info.length = tcpinfo::kLinux61TcpInfoBytes;
  EXPECT_FALSE(only(diag_socket(1), now).timeouts);
}

TEST(ConnectionTest, Ipv4OnADualStackSocketIsShownAsIpv4) {
  EXPECT_EQ(only(diag_socket(1), diag_socket(1, "[::ffff:192.0.2.9]:80")).peer.text(),
            "192.0.2.9:80");
}

/// Ports of the sorted connections, which are numbered from 1.
std::vector<int> order(std::vector<Connection> all, SortKey key) {
  for (std::size_t i = 0; i < all.size(); ++i) all[i].peer.port = static_cast<std::uint16_t>(i + 1);
  sort(all, key);
  std::vector<int> ports;
  for (const auto& connection : all) ports.push_back(connection.peer.port);
  return ports;
}

TEST(SortTest, TroubleIsLossThenRecoveryThenRetransmitsThenQueueing) {
  std::vector<Connection> all(5);
  all[1].now.rtt = 50ms;
  all[2].retransmits = 1;
  all[3].now.ca_state = tcpinfo::CaState::kRecovery;
  all[4].now.ca_state = tcpinfo::CaState::kLoss;
  EXPECT_THAT(order(all, SortKey::kTrouble), ElementsAre(5, 4, 3, 2, 1));
}

TEST(SortTest, ALongPathIsNotTrouble) {
  std::vector<Connection> all(2);
  all[0].now.rtt = 300ms;
  all[0].now.min_rtt = 299ms;
  all[1].now.rtt = 30ms;
  all[1].now.min_rtt = 10ms;
  EXPECT_THAT(order(all, SortKey::kTrouble), ElementsAre(2, 1));
}

TEST(SortTest, EachKeyPutsTheHighestFirst) {
  std::vector<Connection> all(5);
  all[1].rate = base::BitRate::mbps(1);
  all[2].now.rtt = 1s;
  all[3].retransmits = 1;
  all[4].now.notsent = base::ByteCount{1};
  EXPECT_EQ(order(all, SortKey::kRate).front(), 2);
  EXPECT_EQ(order(all, SortKey::kRtt).front(), 3);
  EXPECT_EQ(order(all, SortKey::kRetransmits).front(), 4);
  EXPECT_EQ(order(all, SortKey::kUnsent).front(), 5);
}

TEST(SortTest, EqualConnectionsAreSortedByPeer) {
  EXPECT_THAT(order(std::vector<Connection>(3), SortKey::kRate), ElementsAre(1, 2, 3));
}

}  // namespace
}  // namespace app
