#include "app/segments/missing.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "plain_stream.h"
#include "track_packets.h"

namespace app {
namespace {

using namespace std::chrono_literals;
using segments::Target;

class MissingTest : public testing::Test {
 protected:
  static StreamConfig config() {
    auto config = plain_stream();
    config.segments.window = 20s;
    return config;
  }

  void SetUp() override {
    publish(0s, 3s);
    newest_ = *store().newest();
  }

  segments::SegmentStore& store() { return stream_.segments(); }
  void publish(media::Pts begin, media::Pts end) {
    track_packets::frames(begin, end, [&](const auto& packet) { store().publish(0, packet); });
  }

  /// The status of the error for "/live/SESSION/" and `rest`, or 0 if the stream has it.
  int status(const std::string& rest, const std::string& query = "") {
    const auto target = Target::parse("/live/0123456789abcdef/" + rest);
    if (!target) return -1;
    const auto error = missing(*target, query, stream_);
    return error ? error->head.status : 0;
  }
  std::string name(std::uint64_t number, const std::string& part = "") {
    return "auto/" + std::to_string(number) + part + ".m4s";
  }

  NoHandler handler_;
  server::Server server_{{}, handler_};
  Metrics metrics_{tcpinfo::EventSource::kTcpInfo};
  transcoder::MediaClock media_clock_;
  LiveStream stream_{0, config(), media_clock_, transcoder::MakeSource{}, server_, metrics_};
  std::uint64_t newest_ = 0;
};

TEST_F(MissingTest, SegmentsInTheWindowAndThoseDueAreThere) {
  EXPECT_EQ(status(name(newest_ - 1)), 0);
  EXPECT_EQ(status(name(newest_)), 0);
  EXPECT_EQ(status(name(newest_ + 2)), 0);
  EXPECT_EQ(status(name(newest_ + 3)), 404);
  EXPECT_EQ(status(name(newest_ - 100)), 404);
}

TEST_F(MissingTest, PartsThatHaveBeenMadeOrMayComeAreThere) {
  EXPECT_EQ(status(name(newest_ - 1, ".0")), 0);
  EXPECT_EQ(status(name(newest_ - 1, ".99")), 404) << "the segment is complete";
  EXPECT_EQ(status(name(newest_, ".3")), 0) << "the segment is being made";
  EXPECT_EQ(status(name(newest_, ".99")), 404) << "no segment has as many";
  EXPECT_EQ(status(name(newest_ + 1, ".0")), 0);
  EXPECT_EQ(status(name(newest_ + 3, ".0")), 404);
  EXPECT_EQ(status(name(newest_ - 5, ".0")), 404) << "no group has made it";
}

TEST_F(MissingTest, KnownInitializationSectionsAreThere) {
  const auto segment = store().video(*store().track(0), newest_);
  ASSERT_TRUE(segment);
  EXPECT_EQ(status("auto/init-" + std::to_string(segment->init) + ".mp4"), 0);
  EXPECT_EQ(status("auto/init.mp4"), 0);
  EXPECT_EQ(status("auto/init-999.mp4"), 404);
}

TEST_F(MissingTest, AnInventedInitializationSectionStaysMissingWhileNobodyWatches) {
  store().close(0);
  store().forget_closed();
  EXPECT_EQ(status("auto/init-999.mp4"), 404);
}

TEST_F(MissingTest, BeforeTheFirstEncoderEverythingMayCome) {
  const LiveStream other{1, config(), media_clock_, transcoder::MakeSource{}, server_, metrics_};
  for (const std::string rest : {"auto/init-999.mp4", "auto/7.m4s", "auto/7.0.m4s"}) {
    EXPECT_FALSE(missing(*Target::parse("/live/0123456789abcdef/" + rest), "", other)) << rest;
  }
}

TEST_F(MissingTest, OnlyRenditionsOfTheStreamAreThere) {
  const auto last = stream_.rungs().size() - 1;
  EXPECT_EQ(status("auto/playlist.m3u8"), 0);
  EXPECT_EQ(status("v" + std::to_string(last) + "/playlist.m3u8"), 0);
  for (const std::string file : {"playlist.m3u8", "init.mp4", "7.m4s"}) {
    EXPECT_EQ(status("v" + std::to_string(last + 1) + "/" + file), 404) << file;
    EXPECT_EQ(status("audio/" + file), 404) << file;
  }
}

TEST_F(MissingTest, APlaylistThatCannotComeIsAnError) {
  EXPECT_EQ(status("auto/playlist.m3u8", "_HLS_msn=" + std::to_string(newest_ + 2)), 0);
  EXPECT_EQ(status("auto/playlist.m3u8", "_HLS_msn=" + std::to_string(newest_ + 3)), 400);
  EXPECT_EQ(status("auto/playlist.m3u8", "_HLS_part=0"), 400);
}

TEST_F(MissingTest, ADirectiveThatIsNoNumberIsAnError) {
  for (const std::string value : {"abc", "", "-1", "18446744073709551616"}) {
    EXPECT_EQ(status("auto/playlist.m3u8", "_HLS_msn=" + value), 400) << value;
    EXPECT_EQ(
        status("auto/playlist.m3u8", "_HLS_msn=" + std::to_string(newest_) + "&_HLS_part=" + value),
        400)
        << value;
  }
}

}  // namespace
}  // namespace app
