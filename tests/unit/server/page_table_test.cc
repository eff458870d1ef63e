#include "server/page_table.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace server {
namespace {

PageTable table() {
  PageTable pages{AdminAccess{{*Network::parse("127.0.0.0/8")}, {}}};
  pages.add("/", Access::kPublic,
            [](const PageRequest&) { return Page{.body = SharedBytes::permanent("hello")}; });
  pages.add("/metrics", Access::kAdmin, [](const PageRequest& request) {
    return Page{.body = SharedBytes::of(request.query)};
  });
  pages.add("/broken", Access::kPublic,
            [](const PageRequest&) -> Page { throw std::runtime_error{"no"}; });
  return pages;
}

Client client(const char* address) {
  return {.address = *Address::parse(address), .peer = {}, .host = "localhost", .origin = {}};
}

int status(const char* path, const char* address) {
  return table().get({path, "", client(address)}).status;
}

TEST(PageTableTest, ReturnsThePageOfThePath) {
  EXPECT_EQ(table().get({"/metrics", "a=b", client("127.0.0.1")}).body.text(), "a=b");
}

TEST(PageTableTest, KnowsOnlyExactPaths) {
  EXPECT_EQ(status("/metrics/", "127.0.0.1"), 404);
  EXPECT_EQ(status("//metrics", "127.0.0.1"), 404);
  EXPECT_EQ(status("/Metrics", "127.0.0.1"), 404);
}

TEST(PageTableTest, ShowsAdminPagesToAdminsOnly) {
  EXPECT_EQ(status("/metrics", "127.1.2.3"), 200);
  EXPECT_EQ(status("/metrics", "192.0.2.1"), 403);
  EXPECT_EQ(status("/", "192.0.2.1"), 200);
}

TEST(PageTableTest, SurvivesAPageThatThrows) { EXPECT_EQ(status("/broken", "192.0.2.1"), 500); }

}  // namespace
}  // namespace server
