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
  const auto page = web_pages::page(kScript, true, "", {});
  EXPECT_EQ(page.body.text(), "packed");
  EXPECT_THAT(page.fields, Contains("Content-Encoding: gzip"));
}

TEST(WebPagesTest, SendsPlainBytesOtherwise) {
  const auto page = web_pages::page(kScript, false, "", {});
  EXPECT_EQ(page.body.text(), "alert()");
  EXPECT_THAT(page.fields, Not(Contains("Content-Encoding: gzip")));
  EXPECT_THAT(page.fields, Contains("Vary: Accept-Encoding"));
}

TEST(WebPagesTest, SendsEmbeddedFilesFromWhereTheyAre) {
  EXPECT_EQ(web_pages::page(kScript, true, "", {}).body.text().data(), kScript.gzip.data());
  EXPECT_EQ(web_pages::page(kScript, false, "", {}).body.text().data(), kScript.bytes.data());
}

TEST(WebPagesTest, SendsPlainBytesIfGzipIsNotSmaller) {
  EXPECT_EQ(web_pages::page(kDocument, true, "", {}).body.text(), kDocument.bytes);
}

TEST(WebPagesTest, TheDocumentRepeatsItsQuery) {
  const std::string document =
      R"(<link rel="icon" href="assets/icon-1.svg"><script type="module" src="assets/main-1.js"></script>)"
      R"(<a href="#video">v</a><use href="#mark"/><img id="logo"><a href="status">s</a>)";
  const WebFile files[] = {{"/", "text/html", "", ""},
                           {"/assets/main-1.js", "text/javascript", "", ""},
                           {"/assets/chunk-2.js", "text/javascript", "", ""},
                           {"/assets/main-1.css", "text/css", "", ""}};
  EXPECT_EQ(web_pages::with_query(document, files, "?a=1&b=2", "n0"),
            R"(<link rel="icon" href="assets/icon-1.svg?a=1&amp;b=2">)"
            R"(<script type="importmap" nonce="n0">{"imports":{)"
            R"("./assets/main-1.js":"./assets/main-1.js?a=1&b=2",)"
            R"("./assets/chunk-2.js":"./assets/chunk-2.js?a=1&b=2"}}</script>)"
            "\n"
            R"(<script type="module" src="assets/main-1.js?a=1&amp;b=2"></script>)"
            R"(<a href="#video">v</a><use href="#mark"/><img id="logo">)"
            R"(<a href="status?a=1&amp;b=2">s</a>)");
}

TEST(WebPagesTest, OnlyADocumentWithAQueryHasAnInlineScript) {
  constexpr WebFile kPage{"/", "text/html", R"(<script src="main.js"></script>)", "packed"};
  const auto with = web_pages::page(kPage, true, "token=1&abr=player&x=<", {});
  const std::string body{with.body.text()};
  EXPECT_THAT(body, HasSubstr(R"(src="main.js?token=1")"));
  EXPECT_THAT(with.fields, Not(Contains("Content-Encoding: gzip")));
  const auto begin = body.find("nonce=\"") + 7;
  const auto nonce = body.substr(begin, body.find('"', begin) - begin);
  EXPECT_EQ(nonce.size(), 32u);
  EXPECT_THAT(with.fields, Contains(HasSubstr("script-src 'self' 'nonce-" + nonce + "';")));
  EXPECT_THAT(web_pages::page(kPage, false, "token=1", {}).body.text(), Not(HasSubstr(nonce)));
  for (const char* query : {"", "abr=player", "x=<"}) {
    const auto without = web_pages::page(kPage, false, query, {});
    EXPECT_EQ(without.body.text(), kPage.bytes) << query;
    EXPECT_THAT(without.fields, Contains(HasSubstr("script-src 'self';")));
  }
}

TEST(WebPagesTest, AssetsAreTheSameWithAQuery) {
  EXPECT_EQ(web_pages::page(kScript, true, "token=1", {}).body.text(), "packed");
}

TEST(WebPagesTest, OnlyAssetsAreCachedForever) {
  EXPECT_THAT(web_pages::page(kScript, false, "", {}).cache_control, HasSubstr("immutable"));
  EXPECT_EQ(web_pages::page(kDocument, false, "", {}).cache_control, "no-store");
}

TEST(WebPagesTest, ForbidsContentFromOtherOrigins) {
  EXPECT_THAT(web_pages::page(kDocument, false, "", {}).fields,
              Contains(HasSubstr("default-src 'none'")));
}

TEST(WebPagesTest, OnlyAllowedSitesMayEmbedThePage) {
  PageSettings settings;
  const auto fields = [&] { return web_pages::page(kDocument, false, "", settings).fields; };
  EXPECT_THAT(fields(), Contains(HasSubstr("frame-ancestors 'none'")));
  settings.embed = {*server::Origin::parse("https://a.example"), *server::Origin::parse("*")};
  EXPECT_THAT(fields(), Contains(HasSubstr("frame-ancestors https://a.example * 'self'")));
}

}  // namespace
}  // namespace app
