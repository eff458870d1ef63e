#include "app/top/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace app {
namespace {

using namespace std::chrono_literals;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Le;
using ::testing::Not;
using ::testing::SizeIs;

Connection sample() {
  Connection c;
  c.peer = *server::Endpoint::parse("192.0.2.17:51234");
  c.congestion_control = "cubic";
  c.now.ca_state = tcpinfo::CaState::kRecovery;
  c.now.rtt = 45'230us;
  c.now.min_rtt = 4'010us;
  c.now.cwnd = 64;
  c.now.ssthresh = 57;
  c.now.delivery_rate = base::BitRate{4'834'000};
  c.now.notsent = base::ByteCount{16'384};
  c.now.total_retransmits = 12;
  c.now.total_timeouts = 3;
  c.in_flight = 31;
  c.age = 62s;
  c.rate = base::BitRate{2'110'000};
  c.segments_sent = 400;
  c.retransmits = 1;
  c.timeouts = 0;
  c.busy = 0.98;
  c.rwnd_limited = 0.12;
  return c;
}

/// The cell of the connection below `title`.
std::string cell(const Connection& connection, std::string_view title) {
  const auto lines = table({connection}, {});
  const auto end = lines[0].find(title) + title.size();
  const auto to_end = lines[1].substr(0, end);
  return to_end.substr(to_end.rfind(' ') + 1);
}

TEST(TableTest, ShowsWhoseConnectionItIs) {
  auto connection = sample();
  connection.viewer = {{.id = 12, .stream = "film", .format = "hls"}};
  EXPECT_EQ(cell(connection, "VIEWER"), "12");
  const auto lines = table({connection, sample()}, {});
  EXPECT_THAT(lines[1], HasSubstr("12  film    hls     cubic"));
  EXPECT_THAT(lines[2], HasSubstr(" -  -       -       cubic"));
  EXPECT_THAT(table({sample()}, {}).front(), Not(HasSubstr("VIEWER")));
}

TEST(TableTest, ShowsAConnection) {
  const auto lines = table({sample()}, {});
  ASSERT_EQ(lines.size(), 3u);
  std::istringstream words{lines[1]};
  EXPECT_THAT(
      (std::vector<std::string>{std::istream_iterator<std::string>{words}, {}}),
      ElementsAre("192.0.2.17:51234", "cubic", "recovery", "2.11M", "4.83M", "-", "45.2", "4.01",
                  "64", "57", "31", "16.4k", "12+1", "3", "98%", "12%", "0%", "1m02"));
}

TEST(TableTest, AnAppLimitedDeliveryRateIsALowerBound) {
  auto connection = sample();
  connection.now.app_limited = true;
  EXPECT_EQ(cell(connection, "DELIVERY"), ">4.83M");
}

TEST(TableTest, AnInfiniteSsthreshIsADash) {
  auto connection = sample();
  connection.now.ssthresh.reset();
  EXPECT_EQ(cell(connection, "SSTHRESH"), "-");
}

TEST(TableTest, RatesHaveThreeDigits) {
  auto connection = sample();
  const std::vector<std::pair<std::int64_t, std::string>> expected{
      {0, "0"},          {999, "999"},       {1'000, "1.00k"},
      {9'994, "9.99k"},  {9'996, "10.0k"},   {99'960, "100k"},
      {999'400, "999k"}, {999'600, "1.00M"}, {123'000'000'000, "123G"}};
  for (const auto& [bps, text] : expected) {
    connection.rate = base::BitRate{bps};
    EXPECT_EQ(cell(connection, "RATE"), text);
  }
}

TEST(TableTest, AgesHaveTwoUnits) {
  auto connection = sample();
  const std::vector<std::pair<base::Duration, std::string>> expected{
      {999ms, "0s"}, {59s, "59s"}, {185s, "3m05"}, {2h + 13min, "2h13"}, {98h, "4d02"}};
  for (const auto& [age, text] : expected) {
    connection.age = age;
    EXPECT_EQ(cell(connection, "AGE"), text);
  }
}

TEST(TableTest, ANarrowTableOmitsTheLeastImportantColumns) {
  const auto lines = table({sample()}, {.columns = 80});
  EXPECT_THAT(lines, Each(SizeIs(Le(80u))));
  EXPECT_THAT(lines[0], HasSubstr("RETRANS"));
  EXPECT_THAT(lines[0], Not(HasSubstr("SSTHRESH")));
}

TEST(TableTest, NoWidthIsTooSmall) {
  EXPECT_THAT(table({sample()}, {.columns = 5}), Each(SizeIs(Le(5u))));
}

TEST(TableTest, ColumnsAreAligned) {
  auto other = sample();
  other.peer = *server::Endpoint::parse("[2001:db8::17]:1");
  other.rate = base::BitRate{};
  const auto lines = table({sample(), other}, {});
  EXPECT_EQ(lines[1].find("recovery"), lines[2].find("recovery"));
  EXPECT_EQ(lines[1].find("2.11M") + 5, lines[2].find(" 0 ") + 2);
}

TEST(TableTest, ConnectionsBelowTheScreenAreCounted) {
  const auto lines = table({sample(), sample(), sample()}, {.rows = 1});
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(lines[2], HasSubstr("3 connections (2 not shown)"));
}

TEST(TableTest, TotalsCoverAllConnections) {
  EXPECT_EQ(table({sample(), sample()}, {}).back(),
            "2 connections, 4.22 Mbit/s, 0.25 % of 800 segments retransmitted");
}

TEST(TableTest, WithoutConnectionsTheTotalsAreZero) {
  EXPECT_EQ(table({}, {}).back(), "0 connections, 0 bit/s, 0.00 % of 0 segments retransmitted");
}

}  // namespace
}  // namespace app
