#include "server/http_request_parser.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace server {
namespace {

using Status = HttpRequestParser::Status;
constexpr std::size_t kLimit = 1024;

struct Outcome {
  Status status = Status::kNeedMore;
  HttpRequest request;
  int fault = 0;
  std::size_t consumed = 0;
};

/// Feeds `text` in pieces of at most `piece` bytes until a request is complete or has failed.
Outcome parse(std::string_view text, std::size_t piece = std::string::npos,
              std::size_t limit = kLimit) {
  HttpRequestParser parser{limit};
  Outcome out;
  while (!text.empty() && out.status == Status::kNeedMore) {
    const auto part = text.substr(0, piece);
    const auto [status, consumed] = parser.feed(part);
    EXPECT_LE(consumed, part.size());
    out.status = status;
    out.consumed += consumed;
    text.remove_prefix(status == Status::kNeedMore ? part.size() : consumed);
  }
  if (out.status == Status::kComplete) out.request = parser.take();
  if (out.status == Status::kFailed) out.fault = parser.fault().status;
  return out;
}

TEST(HttpRequestParserTest, ParsesAGet) {
  const auto out = parse("GET /live.ts?max=2M HTTP/1.1\r\nHost: x\r\nUser-Agent: mpv 1\r\n\r\n");
  ASSERT_EQ(out.status, Status::kComplete);
  EXPECT_EQ(out.request.method, HttpRequest::Method::kGet);
  EXPECT_EQ(out.request.target, "/live.ts?max=2M");
  EXPECT_EQ(out.request.user_agent, "mpv 1");
  EXPECT_TRUE(out.request.keep_alive);
  EXPECT_FALSE(out.request.http_1_0);
}

TEST(HttpRequestParserTest, ParsesTheSameByteByByte) {
  const std::string text = "HEAD /a HTTP/1.1\r\nHost: x\r\nuser-AGENT: some player\r\n\r\n";
  const auto out = parse(text, 1);
  ASSERT_EQ(out.status, Status::kComplete);
  EXPECT_EQ(out.consumed, text.size());
  EXPECT_EQ(out.request.method, HttpRequest::Method::kHead);
  EXPECT_EQ(out.request.user_agent, "some player");
}

TEST(HttpRequestParserTest, ClosesAfterHttp10UnlessAsked) {
  EXPECT_FALSE(parse("GET / HTTP/1.0\r\n\r\n").request.keep_alive);
  EXPECT_TRUE(parse("GET / HTTP/1.0\r\n\r\n").request.http_1_0);
  EXPECT_TRUE(parse("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").request.keep_alive);
}

TEST(HttpRequestParserTest, ClosesWhenAsked) {
  EXPECT_FALSE(parse("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").request.keep_alive);
}

TEST(HttpRequestParserTest, StopsAtTheEndOfEachRequest) {
  const std::string one = "GET /1 HTTP/1.1\r\nHost: x\r\n\r\n";
  const std::string two = "GET /2 HTTP/1.1\r\nHost: x\r\n\r\n";
  HttpRequestParser parser{kLimit};
  const auto first = parser.feed(one + two);
  ASSERT_EQ(first.status, Status::kComplete);
  EXPECT_EQ(first.consumed, one.size());
  EXPECT_EQ(parser.take().target, "/1");
  EXPECT_FALSE(parser.started());
  ASSERT_EQ(parser.feed(two).status, Status::kComplete);
  EXPECT_EQ(parser.take().target, "/2");
}

TEST(HttpRequestParserTest, SkipsTheBody) {
  const std::string head = "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n";
  const auto out = parse(head + "hello");
  ASSERT_EQ(out.status, Status::kComplete);
  EXPECT_EQ(out.consumed, head.size());
  EXPECT_EQ(out.request.method, HttpRequest::Method::kOther);
  EXPECT_FALSE(out.request.keep_alive);
}

TEST(HttpRequestParserTest, TreatsAnUpgradeAsAPlainRequest) {
  const auto out =
      parse("GET /a HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\nGET /b ");
  ASSERT_EQ(out.status, Status::kComplete);
  EXPECT_EQ(out.request.target, "/a");
}

TEST(HttpRequestParserTest, RejectsALargeHeader) {
  EXPECT_EQ(parse("GET / HTTP/1.1\r\nHost: x\r\nX: " + std::string(kLimit, 'y')).fault, 431);
  EXPECT_EQ(parse("GET / HTTP/1.1\r\nHost: x\r\nX: " + std::string(kLimit, 'y'), 7).fault, 431);
}

TEST(HttpRequestParserTest, RejectsALongRequestLine) {
  EXPECT_EQ(parse("GET /" + std::string(kLimit, 'y')).fault, 414);
}

TEST(HttpRequestParserTest, AcceptsARequestOfExactlyTheLimit) {
  const std::string text = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  EXPECT_EQ(parse(text, 5, text.size()).status, Status::kComplete);
  EXPECT_EQ(parse(text, 5, text.size() - 1).fault, 431);
}

TEST(HttpRequestParserTest, RejectsWhatIsNotHttp) {
  EXPECT_EQ(parse("\x16\x03\x01\x02").fault, 400);
  EXPECT_EQ(parse("GET  HTTP/1.1\r\n\r\n").fault, 400);
  EXPECT_EQ(parse("GET / HTTP/1.1\r\nHost x\r\n\r\n").fault, 400);
}

TEST(HttpRequestParserTest, RejectsOtherVersions) {
  EXPECT_EQ(parse("GET /\r\n\r\n").fault, 505);
  EXPECT_EQ(parse("GET / HTTP/2.0\r\n\r\n").fault, 505);
}

TEST(HttpRequestParserTest, RequiresExactlyOneHost) {
  EXPECT_EQ(parse("GET / HTTP/1.1\r\n\r\n").fault, 400);
  EXPECT_EQ(parse("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n").fault, 400);
}

/// Whether `text` is rejected with 400, whole and wherever it is cut in two.
bool is_rejected(const std::string& text) {
  for (std::size_t size = 1; size <= text.size(); ++size) {
    HttpRequestParser parser{kLimit};
    auto progress = parser.feed(text.substr(0, size));
    if (progress.status == Status::kNeedMore) progress = parser.feed(text.substr(size));
    if (progress.status != Status::kFailed || parser.fault().status != 400) return false;
  }
  return true;
}

TEST(HttpRequestParserTest, RejectsLinesThatProxiesReadInAnotherWay) {
  EXPECT_TRUE(is_rejected("GET / HTTP/1.1\r\nHost: x\r\nX-A: b\r\n c\r\n\r\n"));
  EXPECT_TRUE(is_rejected("GET / HTTP/1.1\nHost: x\nX-A: b\n\tX-B: c\n\n"));
  EXPECT_TRUE(is_rejected("GET / HTTP/1.1\r\n Host: x\r\n\r\n"));
  EXPECT_TRUE(is_rejected("GET / HTTP/1.1\r\nHost : x\r\nHost: x\r\n\r\n"));
  EXPECT_TRUE(is_rejected("GET / HTTP/1.1\r\nHost: x\r\n\rX"));
  EXPECT_EQ(parse("GET / HTTP/1.1\r\nHost: x\r\nX-A:  b c \r\n\r\n").status, Status::kComplete);
}

TEST(HttpRequestParserTest, RejectsATargetThatIsNotPrintable) {
  EXPECT_TRUE(is_rejected("GET /a\tb HTTP/1.1\r\nHost: x\r\n\r\n"));
  EXPECT_TRUE(is_rejected("GET /a?\x0c HTTP/1.1\r\nHost: x\r\n\r\n"));
  EXPECT_TRUE(is_rejected("GET /\xc3\xa9.ts HTTP/1.1\r\nHost: x\r\n\r\n"));
  EXPECT_EQ(parse("GET /a\"<>|b HTTP/1.1\r\nHost: x\r\n\r\n").status, Status::kComplete)
      << "clients send it";
}

TEST(HttpRequestParserTest, RejectsSmuggledLengths) {
  EXPECT_EQ(parse("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n"
                  "Transfer-Encoding: chunked\r\n\r\n")
                .fault,
            400);
  EXPECT_EQ(
      parse("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n").fault,
      400);
  for (const std::string coding :
       {"gzip", "identity", "chunked, gzip", "xchunked", "chunked\r\nTransfer-Encoding: gzip"}) {
    EXPECT_EQ(
        parse("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: " + coding + "\r\n\r\n").fault, 400)
        << coding;
  }
}

TEST(HttpRequestParserTest, ClosesTheConnectionAfterAChunkedBody) {
  const auto out = parse("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n");
  ASSERT_EQ(out.status, Status::kComplete);
  EXPECT_FALSE(out.request.keep_alive);
}

TEST(HttpRequestParserTest, MakesTheUserAgentShortAndPrintable) {
  const auto out = parse("GET / HTTP/1.1\r\nHost: x\r\nUser-Agent: \xc3\xa9" +
                         std::string(400, 'a') + "\r\n\r\n");
  ASSERT_EQ(out.status, Status::kComplete);
  EXPECT_EQ(out.request.user_agent.size(), HttpRequest::kMaxUserAgentLength);
  EXPECT_TRUE(out.request.user_agent.starts_with("??aaa"));
}

TEST(HttpRequestParserTest, KnowsIfTheClientAcceptsGzip) {
  const auto takes = [](const std::string& codings) {
    return parse("GET / HTTP/1.1\r\nHost: x\r\nAccept-Encoding: " + codings + "\r\n\r\n")
        .request.gzip;
  };
  EXPECT_TRUE(takes("br, GZIP ;q=0.5"));
  EXPECT_TRUE(takes("gzip"));
  EXPECT_FALSE(takes("gzip;q=0.0, br"));
  EXPECT_FALSE(takes("gzip; Q=0"));
  EXPECT_FALSE(takes("x-gzip, br"));
  EXPECT_FALSE(parse("GET / HTTP/1.1\r\nHost: x\r\n\r\n").request.gzip);
}

TEST(HttpRequestParserTest, HasStartedWithTheFirstByte) {
  HttpRequestParser parser{kLimit};
  EXPECT_FALSE(parser.started());
  parser.feed("G");
  EXPECT_TRUE(parser.started());
}

/// Random bytes that often resemble a request.
std::string garbage(std::mt19937& random) {
  static const std::vector<std::string> kWords{"GET ",
                                               "HEAD ",
                                               "POST ",
                                               "CONNECT ",
                                               "/live.ts",
                                               " HTTP/1.1",
                                               " HTTP/1.0",
                                               "\r\n",
                                               "\r\n\r\n",
                                               "Host: x",
                                               "User-Agent: ",
                                               "Connection: close",
                                               "Upgrade: q",
                                               "Content-Length: 3",
                                               "Transfer-Encoding: chunked",
                                               "Transfer-Encoding: gzip",
                                               "\n",
                                               " ",
                                               ":",
                                               "%",
                                               "\t"};
  std::string text;
  const auto words = random() % 40;
  for (unsigned i = 0; i < words; ++i) {
    if (random() % 8 == 0) {
      text.push_back(static_cast<char>(random() & 0xff));
    } else {
      text += kWords[random() % kWords.size()];
    }
  }
  return text;
}

TEST(HttpRequestParserFuzzTest, ParsesAnyBytesTheSameHoweverTheyAreSplit) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random{seed};
  int complete = 0;
  for (int round = 0; round < 5000; ++round) {
    const bool valid_start = random() % 4 == 0;
    const std::string text =
        (valid_start ? "GET /a HTTP/1.1\r\nHost: x\r\n" : std::string{}) + garbage(random);
    const std::size_t limit = 16 + random() % 256;
    const auto whole = parse(text, std::string::npos, limit);
    const auto cut = parse(text, 1 + random() % 7, limit);
    ASSERT_EQ(whole.status, cut.status) << text;
    ASSERT_EQ(whole.fault, cut.fault) << text;
    ASSERT_EQ(whole.request.target, cut.request.target);
    ASSERT_EQ(whole.request.user_agent, cut.request.user_agent);
    ASSERT_LE(whole.consumed, limit);
    ASSERT_LE(whole.request.target.size(), limit);
    if (whole.status == Status::kComplete) ++complete;
  }
  EXPECT_GT(complete, 25) << "the generator no longer reaches whole requests";
}

}  // namespace
}  // namespace server
