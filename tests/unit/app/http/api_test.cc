#include "app/http/api.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

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
  std::unique_ptr<server::StreamingResponse> ask(const std::string& target,
                                                 const char* from = "127.0.0.1") {
    const auto mark = std::min(target.find('?'), target.size());
    return api_.respond({.path = target.substr(0, mark),
                         .query = target.substr(std::min(mark + 1, target.size())),
                         .client = {.address = *server::Address::parse(from),
                                    .peer = {},
                                    .host = "localhost",
                                    .origin = {}},
                         .user_agent = {},
                         .viewer_places = {places_, last_viewer_}});
  }
  int status(const std::string& target, const char* from = "127.0.0.1") {
    return ask(target, from)->next(link_, {}).head->status;
  }
  /// The body of an error.
  std::string reason(const std::string& target) { return text(ask(target)->next(link_, {})); }

  /// A source stops, and its readers are about to be told.
  void lose_source(base::Time now) {
    sources_[0].state.away_since = now;
    api_.look(now);
  }
  std::string list_after(std::uint64_t revision) {
    return "/api/v1/streams?after=" + std::to_string(revision);
  }

  int states_ = 0;
  int lists_ = 0;
  std::uint64_t newest_ = 0;  ///< of the revisions in lists
  ViewerTaps taps_;
  std::vector<LiveStream::Source> sources_{{"live", {}}};
  Api api_{server::AdminAccess{{*server::Network::parse("127.0.0.0/8")}, {}},
           {.state = [this](base::Time) { return "state " + std::to_string(++states_); },
            .streams =
                [this](const api_json::Reader& reader, std::uint64_t revision) {
                  newest_ = revision;
                  return (reader.admin ? "admin " : "") + std::to_string(++lists_);
                },
            .look = [this] { return sources_; },
            .names =
                [] {
                  return std::vector<std::string>{"live", "camera"};
                },
            .connections = [] { return std::string{"connections"}; }},
           taps_};
  server::Places places_{{.in_all = 1, .per_address = 1, .rate = {}, .proxies = {}}};
  std::atomic<std::uint64_t> last_viewer_{0};
  server::ResponseConnection link_;
};

TEST_F(ApiTest, AnswersNoOtherPaths) {
  for (const char* path :
       {"/api/v1/streams/", "/api/v1/events/", "/api/v1/viewers/7", "/api/v1/viewers//events",
        "/api/v1/viewers/events", "/api/v1/viewers/7x/events", "/api/v1/viewers/-7/events"}) {
    EXPECT_EQ(ask(path), nullptr) << path;
  }
}

TEST_F(ApiTest, EventsAreForAdminsOnly) {
  taps_.add(7, "live", {"join", "{}"});
  EXPECT_EQ(status(kStateEventsPath), 200);
  EXPECT_EQ(status("/api/v1/viewers/7/events"), 200);
  EXPECT_EQ(status(kStateEventsPath, "192.0.2.1"), 403);
  EXPECT_EQ(status("/api/v1/viewers/7/events", "192.0.2.1"), 403);
  EXPECT_EQ(status("/api/v1/viewers/8/events", "192.0.2.1"), 403)
      << "404 would reveal which viewers exist";
}

TEST_F(ApiTest, TracesAreForAdminsOnly) {
  taps_.add(7, "live", {"join", "{}"});
  EXPECT_EQ(status("/api/v1/trace?viewer=7"), 200);
  for (const char* query : {"", "?viewer=7", "?viewer=8", "?stream=live", "?stream=x"}) {
    EXPECT_EQ(status(std::string{"/api/v1/trace"} + query, "192.0.2.1"), 403) << query;
  }
}

TEST_F(ApiTest, ATraceNamesOneViewerOrOneStream) {
  const char* correct = "?viewer=ID, see /api/v1/events, or ?stream=NAME, see /api/v1/streams";
  for (const char* query :
       {"", "?", "?token=1", "?viewers=7", "?viewer", "?viewer=7&stream=live"}) {
    const auto target = std::string{"/api/v1/trace"} + query;
    EXPECT_EQ(status(target), 400) << query;
    EXPECT_THAT(reason(target), HasSubstr(correct)) << query;
  }
  for (const char* id : {"", "x", "-7", "7x", "99999999999999999999"}) {
    const auto target = std::string{"/api/v1/trace?viewer="} + id;
    EXPECT_EQ(status(target), 400) << id;
    EXPECT_THAT(reason(target), HasSubstr("give the \"id\" of a viewer in /api/v1/events")) << id;
  }
}

TEST_F(ApiTest, ATraceOfNobodyIs404) {
  EXPECT_EQ(status("/api/v1/trace?viewer=8"), 404);
  EXPECT_THAT(reason("/api/v1/trace?viewer=8"), HasSubstr("/api/v1/events lists"));
  EXPECT_EQ(status("/api/v1/trace?stream=lvie"), 404);
  EXPECT_THAT(reason("/api/v1/trace?stream=lvie"), HasSubstr("did you mean \"live\"?"));
  EXPECT_EQ(api_.traces(), 0);
}

TEST_F(ApiTest, ATraceOfAViewerEndsWithTheViewer) {
  const auto tap = taps_.add(7, "live", {"join", R"({"event":"join","viewer":7})"});
  const auto answer = ask("/api/v1/trace?viewer=7&token=1");
  const auto first = answer->next(link_, base::Time{10s});
  EXPECT_EQ(first.head->content_type, "application/x-ndjson");
  EXPECT_EQ(first.head->length, std::nullopt);
  EXPECT_THAT(text(first), testing::MatchesRegex(R"(\{"at":10.0,"event":"trace","wall":".*"\}
\{"event":"join","viewer":7\}
)"));
  tap->put({"frame", R"({"event":"frame"})"});
  tap->put({"sample", R"({"event":"sample"})"});
  EXPECT_EQ(text(answer->next(link_, base::Time{11s})),
            "{\"viewer\":7,\"event\":\"frame\"}\n{\"viewer\":7,\"event\":\"sample\"}\n");
  EXPECT_TRUE(answer->wait().until);
  tap->put({"leave", R"({"event":"leave"})"});
  tap->end();
  const auto last = answer->next(link_, base::Time{12s});
  EXPECT_EQ(text(last), "{\"viewer\":7,\"event\":\"leave\"}\n");
  EXPECT_TRUE(last.complete);
}

TEST_F(ApiTest, ATraceOfAStreamHasTheViewersThatAreThereAndThoseThatCome) {
  const auto one = taps_.add(7, "live", {"join", R"({"viewer":7})"});
  taps_.add(8, "camera", {"join", R"({"viewer":8})"});
  const auto answer = ask("/api/v1/trace?stream=live");
  EXPECT_THAT(text(answer->next(link_, base::Time{10s})), testing::EndsWith("}\n{\"viewer\":7}\n"));
  const auto other = taps_.add(9, "live", {"join", R"({"viewer":9})"});
  one->put({"leave", R"({"event":"leave"})"});
  taps_.remove(7);
  one->end();
  const auto next = answer->next(link_, base::Time{11s});
  EXPECT_EQ(text(next), "{\"viewer\":9}\n{\"viewer\":7,\"event\":\"leave\"}\n");
  EXPECT_FALSE(next.complete);
  EXPECT_TRUE(other->watched());
}

TEST_F(ApiTest, ATraceSaysHowManyLinesWereLost) {
  const auto tap = taps_.add(7, "live", {"join", "{}"});
  const auto answer = ask("/api/v1/trace?viewer=7");
  answer->next(link_, base::Time{10s});
  for (std::size_t i = 0; i < ViewerTaps::kMaxLinesOfViewer + 5; ++i) tap->put({"frame", "{}"});
  EXPECT_THAT(text(answer->next(link_, base::Time{11s})),
              testing::StartsWith(R"({"at":11.0,"event":"dropped","lines":5})"));
  EXPECT_EQ(taps_.lines_dropped(), 5u);
  tap->put({"frame", R"({"event":"frame"})"});
  EXPECT_THAT(text(answer->next(link_, base::Time{12s})), testing::StartsWith(R"({"viewer":7)"));
}

TEST_F(ApiTest, ATraceWithoutViewersShowsThatItIsAlive) {
  const auto answer = ask("/api/v1/trace?stream=live");
  answer->next(link_, base::Time{10s});
  EXPECT_EQ(text(answer->next(link_, base::Time{19s})), "");
  EXPECT_EQ(text(answer->next(link_, base::Time{20s})), "{\"at\":20.0,\"event\":\"idle\"}\n");
  EXPECT_EQ(text(answer->next(link_, base::Time{21s})), "");
}

TEST_F(ApiTest, ATraceLeavesNothingOn) {
  const auto tap = taps_.add(7, "live", {"join", "{}"});
  auto of_viewer = ask("/api/v1/trace?viewer=7");
  auto of_stream = ask("/api/v1/trace?stream=live");
  EXPECT_TRUE(tap->watched());
  EXPECT_EQ(api_.traces(), 2);
  of_viewer.reset();
  of_stream.reset();
  EXPECT_FALSE(tap->watched());
  EXPECT_FALSE(taps_.add(8, "live", {"join", "{}"})->watched());
  EXPECT_EQ(api_.traces(), 0);
}

TEST_F(ApiTest, AFewTracesMayBeOpenAtOnce) {
  std::vector<std::unique_ptr<server::StreamingResponse>> open;
  for (int i = 0; i < Api::kMaxTraces; ++i) open.push_back(ask("/api/v1/trace?stream=live"));
  EXPECT_EQ(status("/api/v1/trace?stream=live"), 503);
  EXPECT_THAT(reason("/api/v1/trace?stream=live"), HasSubstr("end one of them"));
  open.pop_back();
  EXPECT_EQ(status("/api/v1/trace?stream=live"), 200);
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

TEST_F(ApiTest, SendsAStateWhenASourceStops) {
  const auto answer = ask(kStateEventsPath);
  answer->next(link_, base::Time{10s});
  const auto wait = answer->wait();
  lose_source(base::Time{10100ms});
  EXPECT_NE(*wait.count, wait.seen);
  EXPECT_THAT(text(answer->next(link_, base::Time{10100ms})), HasSubstr("state 2"));
  EXPECT_EQ(text(answer->next(link_, base::Time{10200ms})), "");
  EXPECT_EQ(answer->wait().until, base::Time{10600ms});
}

TEST_F(ApiTest, ListsTheStreamsAtOnceForReadersThatDoNotWait) {
  for (const char* query : {"", "?after=", "?after=x", "?after=7", "?token=1"}) {
    const auto answer = ask(std::string{"/api/v1/streams"} + query)->next(link_, base::Time{10s});
    EXPECT_EQ(answer.head->content_type, "application/json") << query;
    EXPECT_TRUE(answer.head->media) << "pages of other sites may read it";
    EXPECT_TRUE(answer.complete) << query;
  }
  EXPECT_THAT(text(ask("/api/v1/streams")->next(link_, {})), testing::StartsWith("admin"));
  EXPECT_THAT(text(ask("/api/v1/streams", "192.0.2.1")->next(link_, {})), Not(HasSubstr("admin")));
}

TEST_F(ApiTest, AReaderWaitsForTheNextChange) {
  ask("/api/v1/streams")->next(link_, {});
  const auto seen = newest_;
  const auto answer = ask(list_after(seen));
  EXPECT_FALSE(answer->next(link_, base::Time{10s}).head);
  const auto wait = answer->wait();
  EXPECT_EQ(*wait.count, wait.seen);
  lose_source(base::Time{11s});
  EXPECT_NE(*wait.count, wait.seen);
  EXPECT_TRUE(answer->next(link_, base::Time{11s}).complete);
  EXPECT_GT(newest_, seen);
}

TEST_F(ApiTest, AReaderWaitsFiveSecondsAtMost) {
  ask("/api/v1/streams")->next(link_, {});
  const auto answer = ask(list_after(newest_));
  answer->next(link_, base::Time{10s});
  EXPECT_EQ(answer->wait().until, base::Time{15s});
  EXPECT_TRUE(answer->next(link_, base::Time{15s}).complete);
}

TEST_F(ApiTest, ReadersThatHaveWaitedShareAList) {
  ask("/api/v1/streams")->next(link_, {});
  const auto one = ask(list_after(newest_));
  const auto other = ask(list_after(newest_));
  const auto third = ask(list_after(newest_));
  for (const auto& answer : {one.get(), other.get(), third.get()})
    answer->next(link_, base::Time{10s});
  lose_source(base::Time{11s});
  const auto first = text(one->next(link_, base::Time{11s}));
  EXPECT_EQ(text(other->next(link_, base::Time{11050ms})), first);
  EXPECT_NE(text(third->next(link_, base::Time{11200ms})), first);
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
  const auto tap = taps_.add(7, "live", {"join", "{}"});
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
