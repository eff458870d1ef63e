#include "app/http/api.h"

#include <gmock/gmock.h>

#include <string>

namespace app {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr const char* kStateEventsPath = "/api/v1/events";

std::string text(const server::StreamingResponse::Chunk& step) {
  std::string all;
  for (const auto& piece : step.body) all.append(piece.bytes.begin(), piece.bytes.end());
  return all;
}

class ApiTest : public testing::Test {
 protected:
  std::unique_ptr<server::StreamingResponse> ask(const std::string& path,
                                                 const char* from = "127.0.0.1") {
    return api_.respond({.path = path,
                         .query = {},
                         .client = {.address = *server::Address::parse(from),
                                    .peer = {},
                                    .host = "localhost",
                                    .origin = {}},
                         .user_agent = {},
                         .viewer_slots = {slots_, last_viewer_}});
  }
  int status(const std::string& path, const char* from = "127.0.0.1") {
    return ask(path, from)->next(link_, {}).head->status;
  }

  int states_ = 0;
  ViewerTaps taps_;
  Api api_{server::AdminAccess{{*server::Network::parse("127.0.0.0/8")}, {}},
           [this](base::Time) { return "state " + std::to_string(++states_); }, taps_};
  server::Slots slots_{1, 1};
  std::atomic<std::uint64_t> last_viewer_{0};
  server::ResponseConnection link_;
};

TEST_F(ApiTest, AnswersNoOtherPaths) {
  for (const char* path :
       {"/api/v1/streams", "/api/v1/events/", "/api/v1/viewers/7", "/api/v1/viewers//events",
        "/api/v1/viewers/events", "/api/v1/viewers/7x/events", "/api/v1/viewers/-7/events"}) {
    EXPECT_EQ(ask(path), nullptr) << path;
  }
}

TEST_F(ApiTest, EventsAreForAdminsOnly) {
  taps_.add(7, {"join", "{}"});
  EXPECT_EQ(status(kStateEventsPath), 200);
  EXPECT_EQ(status("/api/v1/viewers/7/events"), 200);
  EXPECT_EQ(status(kStateEventsPath, "192.0.2.1"), 403);
  EXPECT_EQ(status("/api/v1/viewers/7/events", "192.0.2.1"), 403);
  EXPECT_EQ(status("/api/v1/viewers/8/events", "192.0.2.1"), 403)
      << "404 would reveal which viewers exist";
}

TEST_F(ApiTest, AnswersAnUnknownViewerWith404) {
  EXPECT_EQ(status("/api/v1/viewers/7/events"), 404);
}

TEST_F(ApiTest, SendsAStateAtOnceAndThenTwicePerSecond) {
  const auto answer = ask(kStateEventsPath);
  const auto first = answer->next(link_, base::Time{10s});
  EXPECT_EQ(first.head->content_type, "text/event-stream");
  EXPECT_EQ(first.head->cache_control, "no-store");
  EXPECT_EQ(first.head->length, std::nullopt);
  EXPECT_EQ(text(first), "event: state\ndata: state 1\n\n");
  EXPECT_FALSE(first.complete);
  EXPECT_EQ(text(answer->next(link_, base::Time{10s})), "");
  EXPECT_EQ(answer->wait().until, base::Time{10500ms});
  EXPECT_THAT(text(answer->next(link_, base::Time{10550ms})), HasSubstr("state 2"));
  EXPECT_EQ(answer->wait().until, base::Time{11s}) << "lateness does not add up";
}

TEST_F(ApiTest, ALateReaderReceivesTheNewestStateOnce) {
  const auto answer = ask(kStateEventsPath);
  answer->next(link_, base::Time{10s});
  EXPECT_THAT(text(answer->next(link_, base::Time{20s})), HasSubstr("state 2"));
  EXPECT_EQ(text(answer->next(link_, base::Time{20s})), "");
  EXPECT_EQ(answer->wait().until, base::Time{20500ms});
}

TEST_F(ApiTest, SeveralReadersShareTheState) {
  const auto one = ask(kStateEventsPath);
  const auto other = ask(kStateEventsPath);
  one->next(link_, base::Time{10s});
  EXPECT_THAT(text(other->next(link_, base::Time{10200ms})), HasSubstr("state 1"));
  EXPECT_THAT(text(one->next(link_, base::Time{10500ms})), HasSubstr("state 2"));
  EXPECT_THAT(text(other->next(link_, base::Time{10700ms})), HasSubstr("state 2"));
}

TEST_F(ApiTest, SendsLinesUntilTheViewerLeaves) {
  const auto tap = taps_.add(7, {"join", "{}"});
  const auto answer = ask("/api/v1/viewers/7/events");
  EXPECT_EQ(text(answer->next(link_, {})), "event: join\ndata: {}\n\n");
  EXPECT_TRUE(answer->wait().until);
  tap->put({"frame", "1"});
  tap->put({"frame", "2"});
  EXPECT_EQ(text(answer->next(link_, {})), "event: frame\ndata: 1\n\nevent: frame\ndata: 2\n\n");
  tap->put({"leave", "{}"});
  tap->end();
  const auto last = answer->next(link_, {});
  EXPECT_EQ(text(last), "event: leave\ndata: {}\n\n");
  EXPECT_TRUE(last.complete);
}

}  // namespace
}  // namespace app
