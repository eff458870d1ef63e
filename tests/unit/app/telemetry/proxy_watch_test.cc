#include "app/telemetry/proxy_watch.h"

#include <gtest/gtest.h>

namespace app {
namespace {

using namespace std::chrono_literals;

TEST(ProxyWatchTest, ReportsThreeViewersAtANearAddressOnceInAWhile) {
  ViewerTable table;
  ProxyWatch watch;
  base::Time now{1h};
  const auto join = [&](std::uint64_t id) {
    ViewerTelemetry viewer;
    viewer.id = id;
    viewer.address = *server::Address::parse("127.0.0.1");
    viewer.min_rtt = 50us;
    table.put(viewer);
  };
  join(1);
  join(2);
  EXPECT_FALSE(watch.update(table, now));
  EXPECT_FALSE(ProxyWatch::find(table));
  join(3);
  EXPECT_FALSE(watch.update(table, now + 1s)) << "it has looked a moment ago";
  now += ProxyWatch::kInterval;
  const auto found = watch.update(table, now);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->viewers, 3U);
  EXPECT_FALSE(watch.update(table, now + ProxyWatch::kInterval)) << "it has said so";
  EXPECT_EQ(ProxyWatch::find(table)->viewers, 3U);
  EXPECT_TRUE(watch.update(table, now + ProxyWatch::kReportInterval));
}

}  // namespace
}  // namespace app
