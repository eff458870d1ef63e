#include "server/cors.h"

#include <gmock/gmock.h>

namespace server {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

std::vector<Origin> origins(std::initializer_list<const char*> names) {
  std::vector<Origin> result;
  for (const char* name : names) result.push_back(*Origin::parse(name));
  return result;
}

TEST(OriginTest, ParsesWhatABrowserSends) {
  for (const char* origin : {"*", "https://example.com", "http://[::1]:8080", "http://localhost:1"})
    EXPECT_TRUE(Origin::parse(origin)) << origin;
  for (const char* other : {"", "example.com", "https://", "https://example.com/", "https://A.com",
                            "https://a.com\r\nX: y", "https://*.example.com"})
    EXPECT_FALSE(Origin::parse(other)) << other;
}

TEST(CorsTest, AllowsEveryOriginWithAnAsterisk) {
  EXPECT_THAT(cors_fields(origins({"*"}), ""), Contains("Access-Control-Allow-Origin: *"));
  EXPECT_THAT(cors_fields(origins({"*"}), "https://a.com"), Not(Contains("Vary: Origin")));
}

TEST(CorsTest, AllowsOnlyTheListedOrigins) {
  const auto allow = origins({"https://a.com", "https://b.com"});
  const auto fields = cors_fields(allow, "https://b.com");
  EXPECT_THAT(fields, Contains("Access-Control-Allow-Origin: https://b.com"));
  EXPECT_THAT(fields, Contains("Vary: Origin"));
  EXPECT_THAT(cors_fields(allow, "https://c.com"), ElementsAre("Vary: Origin"));
  EXPECT_THAT(cors_fields(allow, ""), ElementsAre("Vary: Origin"));
}

TEST(CorsTest, AllowsNoOriginByDefault) {
  EXPECT_THAT(cors_fields({}, "https://a.com"), IsEmpty());
}

TEST(CorsTest, PreflightListsMethodsAndHeaders) {
  const auto fields = preflight_fields(origins({"*"}), "https://a.com");
  EXPECT_THAT(fields, Contains("Access-Control-Allow-Methods: GET, HEAD"));
  EXPECT_THAT(fields, Contains(StartsWith("Access-Control-Allow-Headers: ")));
}

}  // namespace
}  // namespace server
