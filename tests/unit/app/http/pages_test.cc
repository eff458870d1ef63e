#include "app/http/pages.h"

#include <gmock/gmock.h>

namespace app {
namespace {

using testing::HasSubstr;
using testing::Not;

LiveStream::State stream() {
  LiveStream::State state;
  state.name = "live";
  state.containers = {media::Container::kMpegTs, media::Container::kMp4};
  state.media.source.status = transcoder::Ingest::Status::kPlaying;
  state.media.source.format = {.width = 1280, .height = 720, .colour = {}};
  return state;
}

TEST(PagesTest, StatusLinksEachStream) {
  const auto page = pages::status({stream()}, false);
  EXPECT_THAT(page, HasSubstr("href=\"live.ts\""));
  EXPECT_THAT(page, HasSubstr("href=\"live.mp4\""));
  EXPECT_THAT(page, Not(HasSubstr(".flv")));
}

TEST(PagesTest, StatusKeepsTheQueryInItsLinks) {
  EXPECT_THAT(pages::status({stream()}, false, "?token=1&x=2"),
              HasSubstr("<a href=\"live.ts?token=1&amp;x=2\">/live.ts</a>"));
}

TEST(PagesTest, StatusShowsGroupsWithTheirReason) {
  auto state = stream();
  state.ladder.groups[0] = {.rate = base::BitRate::mbps(2),
                            .reason = abr::Reason::kDupack,
                            .viewers = 1,
                            .empty_since = {}};
  state.media.groups[0].target = base::BitRate::mbps(2);
  EXPECT_THAT(pages::status({state}, false), HasSubstr("<td>2.00</td>"));
  EXPECT_THAT(pages::status({state}, false), HasSubstr("dupack"));
}

TEST(PagesTest, StatusShowsTheSourcesErrorToAdminsOnly) {
  auto state = stream();
  state.media.source.status = transcoder::Ingest::Status::kWaiting;
  state.media.source.last_error = "<b> is down";
  EXPECT_THAT(pages::status({state}, true), HasSubstr("waiting: &lt;b&gt; is down"));
  EXPECT_THAT(pages::status({state}, false), Not(HasSubstr("is down")));
}

TEST(PagesTest, StatusSaysHowOldThePictureIs) {
  auto state = stream();
  state.last_picture = std::chrono::system_clock::time_point{};
  state.away_since = std::chrono::system_clock::time_point{std::chrono::seconds{1}};
  EXPECT_THAT(pages::status({state}, false), Not(HasSubstr("last picture")));
  state.media.source.status = transcoder::Ingest::Status::kStalled;
  EXPECT_THAT(pages::status({state}, false),
              HasSubstr("stalled, away since 1970-01-01T00:00:01.000Z, last picture "
                        "1970-01-01T00:00:00.000Z"));
}

TEST(PagesTest, SummaryCountsViewersAndNamesTheStreamsThatDoNotPlay) {
  auto playing = stream();
  playing.ladder.groups[0].viewers = 2;
  EXPECT_EQ(pages::summary({playing}), "2 viewers; 1 of 1 streams playing");
  auto away = stream();
  away.media.source.status = transcoder::Ingest::Status::kWaiting;
  EXPECT_EQ(pages::summary({away, playing}), "2 viewers; 1 of 2 streams playing; live waiting");
}

TEST(PagesTest, SummaryStaysShort) {
  auto away = stream();
  away.name = "x";
  away.media.source.status = transcoder::Ingest::Status::kStalled;
  EXPECT_EQ(pages::summary(std::vector(7, away)),
            "0 viewers; 0 of 7 streams playing; x stalled, x stalled, x stalled, x stalled, "
            "x stalled and 2 more");
}

TEST(PagesTest, StatusEscapesNames) {
  auto state = stream();
  state.name = "<script>";
  EXPECT_THAT(pages::status({state}, false), Not(HasSubstr("<script>")));
}

TEST(PagesTest, HealthShowsTheSourcesState) {
  EXPECT_EQ(pages::health({stream()}), "ok\nlive playing\n");
}

}  // namespace
}  // namespace app
