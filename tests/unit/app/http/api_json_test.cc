#include "app/http/api_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace app {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

LiveStream::State playing() {
  LiveStream::State stream;
  stream.name = "live";
  stream.containers = {media::Container::kMpegTs, media::Container::kFlv, media::Container::kMp4};
  stream.segments = true;
  stream.audio = true;
  stream.video_codec = "avc3.640028";
  stream.rate = {.min = base::BitRate::kbps(300), .max = base::BitRate::mbps(5)};
  stream.media.source.status = transcoder::Ingest::Status::kPlaying;
  stream.media.source.format.width = 1280;
  stream.media.source.format.height = 720;
  stream.media.pictures = {.size = {1280, 720}, .frame_rate = 1e9 / 33'366'700, .measured = true};
  stream.ladder.max_groups = 2;
  stream.ladder.groups[0].viewers = 2;
  stream.media.groups[0].target = base::BitRate::mbps(2);
  stream.media.groups[0].frames = 1200;
  return stream;
}

json offer(const LiveStream::State& stream) {
  return json::parse(api_json::streams({stream}, {}, {}, 1))["streams"][0];
}

json state_of(const LiveStream::State& stream) {
  return json::parse(api_json::state({stream}, {}, base::Time{}))["streams"][0];
}

TEST(ApiJsonTest, AStreamListsItsFormatsAndCodecs) {
  const json expected{{"name", "live"},
                      {"state", "playing"},
                      {"troubles", json::array()},
                      {"away_since", nullptr},
                      {"last_picture", nullptr},
                      {"began", "1970-01-01T00:00:00.000Z"},
                      {"width", 1280},
                      {"height", 720},
                      {"frame_rate", 29.97},
                      {"video_codec", "avc3.640028"},
                      {"audio_codec", "mp4a.40.2"},
                      {"rate", {{"min", 300000}, {"max", 5000000}}},
                      {"formats", {"ts", "flv", "mp4", "hls", "dash"}}};
  EXPECT_EQ(offer(playing()), expected);
}

TEST(ApiJsonTest, AStreamTellsWhenItsSourceLastDelivered) {
  auto stream = playing();
  stream.last_picture = std::chrono::system_clock::time_point{std::chrono::milliseconds{1250}};
  EXPECT_EQ(offer(stream)["last_picture"], "1970-01-01T00:00:01.250Z");
  EXPECT_EQ(state_of(stream)["last_picture"], "1970-01-01T00:00:01.250Z");
}

TEST(ApiJsonTest, AStreamTellsSinceWhenItsSourceIsAway) {
  auto stream = playing();
  stream.away_since = std::chrono::system_clock::time_point{std::chrono::milliseconds{2250}};
  EXPECT_EQ(offer(stream)["away_since"], "1970-01-01T00:00:02.250Z");
  EXPECT_EQ(state_of(stream)["away_since"], "1970-01-01T00:00:02.250Z");
}

TEST(ApiJsonTest, UnknownFieldsAreNull) {
  const auto stream = offer({});
  for (const char* key : {"width", "height", "frame_rate", "video_codec", "audio_codec"}) {
    EXPECT_TRUE(stream[key].is_null()) << key;
  }
}

TEST(ApiJsonTest, StreamsSayWhetherTheClientIsAnAdmin) {
  EXPECT_TRUE(json::parse(api_json::streams({}, {}, {.admin = true}, 1))["admin"]);
  EXPECT_FALSE(json::parse(api_json::streams({}, {}, {}, 1))["admin"]);
}

TEST(ApiJsonTest, TellsTheClientWhetherAProxyIsBetween) {
  const auto told = [](server::Proxy proxy) {
    return json::parse(api_json::streams({}, {}, {.proxy = proxy}, 1))["proxy"];
  };
  EXPECT_EQ(told(server::Proxy::kNone), nullptr);
  EXPECT_EQ(told(server::Proxy::kTrusted), "trusted");
  EXPECT_EQ(told(server::Proxy::kUnknown), "unknown");
}

TEST(ApiJsonTest, TheStateHasTheWaitOfJitteringFramesInSeconds) {
  auto stream = playing();
  stream.media.source.longest_wait = 160ms;
  EXPECT_DOUBLE_EQ(state_of(stream)["dejitter"], 0.16);
}

TEST(ApiJsonTest, TheStateSaysWhatTheSourceSends) {
  auto stream = playing();
  EXPECT_EQ(state_of(stream)["source_video_codec"], nullptr);
  stream.media.source.bytes = 1000;
  stream.media.source.video_codec = "H.264 (High Profile)";
  stream.media.source.audio_codec = "MPEG-4 AAC";
  EXPECT_EQ(state_of(stream)["source_bytes"], 1000);
  EXPECT_EQ(state_of(stream)["source_video_codec"], "H.264 (High Profile)");
  EXPECT_EQ(state_of(stream)["source_audio_codec"], "MPEG-4 AAC");
}

TEST(ApiJsonTest, TheStateListsTheGroups) {
  const json expected{
      {"index", 0},       {"target", 2000000},     {"rate", 0},         {"audio", nullptr},
      {"viewers", 2},     {"width", nullptr},      {"height", nullptr}, {"frames", 1200},
      {"frames_late", 0}, {"keyframes_forced", 0}, {"closing", false}};
  const auto stream = state_of(playing());
  EXPECT_EQ(stream["groups"], json::array({expected}));
  EXPECT_EQ(stream["viewers"], 2);
  EXPECT_EQ(stream["max_groups"], 2);
}

TEST(ApiJsonTest, TheErrorIsShownOnlyWhileTheSourceIsMissing) {
  auto stream = playing();
  stream.media.source.last_error = "connection refused";
  EXPECT_TRUE(state_of(stream)["error"].is_null());
  stream.media.source.status = transcoder::Ingest::Status::kWaiting;
  EXPECT_EQ(state_of(stream)["error"], "connection refused");
}

TEST(ApiJsonTest, TheTotalIncludesViewersThatAreNotListed) {
  const auto state = json::parse(api_json::state({playing(), playing()}, {{}}, base::Time{3s}));
  EXPECT_DOUBLE_EQ(state["at"], 3.0);
  EXPECT_EQ(state["viewers_total"], 4);
  EXPECT_EQ(state["viewers"].size(), 1u);
}

TEST(ApiJsonTest, AViewerHasItsIdentityAndTelemetry) {
  ViewerTelemetry viewer;
  viewer.id = 7;
  viewer.stream = "live";
  viewer.format = "mp4";
  viewer.address = *server::Address::parse("203.0.113.7");
  viewer.user_agent = "bad\n\"agent\xff";
  viewer.group = 1;
  viewer.connected = base::Time{1200s};
  viewer.target = base::BitRate::mbps(2);
  viewer.reason = abr::Reason::kCapacity;
  viewer.rtt = 40ms;
  viewer.bytes_sent = base::ByteCount{123};
  viewer.frames_dropped = 2;
  viewer.switches = 3;
  viewer.events = 4;
  const auto listed = json::parse(api_json::state({}, {viewer}, base::Time{}))["viewers"][0];
  EXPECT_EQ(listed["id"], 7);
  EXPECT_EQ(listed["format"], "mp4");
  EXPECT_EQ(listed["address"], "203.0.113.7");
  EXPECT_EQ(listed["group"], 1);
  EXPECT_DOUBLE_EQ(listed["connected"], 1200.0);
  EXPECT_EQ(listed["target"], 2000000);
  EXPECT_EQ(listed["reason"], "capacity");
  EXPECT_DOUBLE_EQ(listed["rtt"], 0.04);
  EXPECT_EQ(listed["bytes_sent"], 123);
  EXPECT_EQ(listed["frames_dropped"], 2);
  EXPECT_EQ(listed["switches"], 3);
  EXPECT_EQ(listed["congestion_events"], 4);
  for (const char* key : {"capacity", "min_rtt", "ssthresh", "behind_live", "delivery_rate"}) {
    EXPECT_TRUE(listed[key].is_null()) << key;
  }
}

TEST(ApiJsonTest, AStreamNamesTheTroublesOfItsSource) {
  auto stream = playing();
  stream.media.source.troubles = {{transcoder::SourceTrouble::kNoKeyframe, ""},
                                  {transcoder::SourceTrouble::kAudioBroken, "why"}};
  EXPECT_EQ(offer(stream)["troubles"], json::array({"no_keyframe", "audio_broken"}));
  EXPECT_EQ(state_of(stream)["troubles"], json::array({"no_keyframe", "audio_broken"}));
}

}  // namespace
}  // namespace app
