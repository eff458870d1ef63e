#include "app/web/web_pages.h"

#include <gmock/gmock.h>

namespace app {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr WebFile kScript{"/assets/main-1234.js", "text/javascript", "alert()", "packed"};
constexpr WebFile kDocument{"/", "text/html", "<!doctype html>", ""};

TEST(WebPagesTest, SendsGzipIfTheClientAcceptsIt) {
  const auto page = web_pages::page(kScript, true, {});
  EXPECT_EQ(page.body, "packed");
  EXPECT_THAT(page.fields, Contains("Content-Encoding: gzip"));
}

TEST(WebPagesTest, SendsPlainBytesOtherwise) {
  const auto page = web_pages::page(kScript, false, {});
  EXPECT_EQ(page.body, "alert()");
  EXPECT_THAT(page.fields, Not(Contains("Content-Encoding: gzip")));
  EXPECT_THAT(page.fields, Contains("Vary: Accept-Encoding"));
}

TEST(WebPagesTest, SendsPlainBytesIfGzipIsNotSmaller) {
  EXPECT_EQ(web_pages::page(kDocument, true, {}).body, kDocument.bytes);
}

TEST(WebPagesTest, OnlyAssetsAreCachedForever) {
  EXPECT_THAT(web_pages::page(kScript, false, {}).cache_control, HasSubstr("immutable"));
  EXPECT_EQ(web_pages::page(kDocument, false, {}).cache_control, "no-store");
}

TEST(WebPagesTest, ForbidsContentFromOtherOrigins) {
  EXPECT_THAT(web_pages::page(kDocument, false, {}).fields,
              Contains(HasSubstr("default-src 'none'")));
}

TEST(WebPagesTest, OnlyAllowedSitesMayEmbedThePage) {
  PageSettings settings;
  const auto fields = [&] { return web_pages::page(kDocument, false, settings).fields; };
  EXPECT_THAT(fields(), Contains(HasSubstr("frame-ancestors 'none'")));
  settings.embed = {*server::Origin::parse("https://a.example"), *server::Origin::parse("*")};
  EXPECT_THAT(fields(), Contains(HasSubstr("frame-ancestors https://a.example * 'self'")));
}

}  // namespace
}  // namespace app
