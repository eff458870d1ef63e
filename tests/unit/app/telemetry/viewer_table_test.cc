#include "app/telemetry/viewer_table.h"

#include <gtest/gtest.h>

namespace app {
namespace {

using namespace std::chrono_literals;

std::vector<std::uint64_t> listed(const ViewerTable& table, std::size_t limit) {
  std::vector<std::uint64_t> ids;
  for (const auto& viewer : table.list(limit)) ids.push_back(viewer.id);
  return ids;
}

TEST(ViewerTableTest, ListsTheWorstViewersById) {
  ViewerTable table;
  const auto put = [&](std::uint64_t id, base::Duration backlog, double mbps) {
    ViewerTelemetry viewer;
    viewer.id = id;
    viewer.backlog = backlog;
    viewer.target = base::BitRate::mbps(mbps);
    table.put(viewer);
  };
  put(1, 0ms, 5);
  put(2, 0ms, 0.3);
  put(3, 900ms, 2);
  put(4, 0ms, 5);
  put(5, 100ms, 5);
  using Ids = std::vector<std::uint64_t>;
  EXPECT_EQ(listed(table, 10), (Ids{1, 2, 3, 4, 5}));
  EXPECT_EQ(listed(table, 3), (Ids{2, 3, 5}));
  EXPECT_EQ(listed(table, 1), (Ids{3}));
  EXPECT_EQ(listed(table, 0), (Ids{}));
  table.remove(3);
  EXPECT_EQ(listed(table, 1), (Ids{5}));
}

TEST(ViewerTableTest, CountsTheViewersOfANearAddress) {
  ViewerTable table;
  std::uint64_t ids = 0;
  const auto put = [&](const char* address, base::Duration rtt,
                       server::Proxy proxy = server::Proxy::kNone) {
    ViewerTelemetry viewer;
    viewer.id = ++ids;
    viewer.address = *server::Address::parse(address);
    viewer.min_rtt = rtt;
    viewer.proxy = proxy;
    table.put(viewer);
  };
  EXPECT_EQ(table.most_shared(1ms).viewers, 0U);
  for (int i = 0; i < 5; ++i) {
    put("198.51.100.1", 2ms);                         // an office
    put("10.0.0.1", 100us, server::Proxy::kUnknown);  // known already
    put("10.0.0.2", 0us);                             // not yet measured
  }
  EXPECT_EQ(table.most_shared(1ms).viewers, 0U);
  put("10.0.0.3", 100us);
  put("127.0.0.1", 50us);
  put("127.0.0.1", 60us);
  const auto shared = table.most_shared(1ms);
  EXPECT_EQ(shared.viewers, 2U);
  EXPECT_EQ(shared.address.text(), "127.0.0.1");
}

}  // namespace
}  // namespace app
