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

}  // namespace
}  // namespace app
