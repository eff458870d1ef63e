#include "transcoder/stream/stream.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

#include "packet_log.h"
#include "pictures.h"

namespace transcoder {

namespace {

/// Replaces the real Ingest, which is in another library. Tests call its sink.
struct FakeIngest {
  static inline FakeIngest* current = nullptr;
  Ingest::Sink sink;
  bool running = false;
};

}  // namespace

class Ingest::Impl : public FakeIngest {
 public:
  explicit Impl(Sink to) : FakeIngest{std::move(to)} { current = this; }
  ~Impl() { current = nullptr; }
};

Ingest::Ingest(const std::string&, const SourceSettings&, VideoSettings, StreamClock, MakeSource,
               Sink sink)
    : impl_{std::make_unique<Impl>(std::move(sink))} {}
Ingest::~Ingest() = default;
void Ingest::start() { impl_->running = true; }
void Ingest::stop() { impl_->running = false; }
Ingest::State Ingest::state() const { return {.restarts = 5}; }

namespace {

using std::chrono::milliseconds;
using test::PacketLog;

constexpr auto kRate = base::BitRate::kbps(500);

StreamSettings settings() {
  StreamSettings result;
  result.audio.enabled = false;
  return result;
}

StreamClock clock_of(const MediaClock& clock) {
  return {clock, EncoderSettings{}.keyframe_interval, base::Clock::now()};
}

class StreamTest : public ::testing::Test {
 protected:
  /// Delivers a picture that was captured `age` ago. An age below zero keeps it fresh, however slow
  /// the machine is.
  void picture(milliseconds pts, base::Duration age = -std::chrono::hours{1}) {
    auto frame = std::make_shared<media::Frame>(*pictures_.next(pts));
    frame->captured = base::Clock::now() - age;
    FakeIngest::current->sink.frame(frame);
  }

  test::Pictures pictures_{test::Content::kMoving, 320, 180};
  PacketLog logs_[3];
  MediaClock media_clock_;
  Stream stream_{settings(),
                 clock_of(media_clock_),
                 {},
                 [this](Stream::GroupIndex group, media::PacketPtr packet) {
                   logs_[group].add(std::move(packet));
                 }};
};

TEST_F(StreamTest, StartsAndStopsItsSource) {
  stream_.start();
  EXPECT_TRUE(FakeIngest::current->running);
  stream_.stop();
  EXPECT_FALSE(FakeIngest::current->running);
}

TEST_F(StreamTest, StatesTheMeanFrameRateHoweverLow) {
  EXPECT_EQ(stream_.full_pictures().frame_rate, 0);
  for (int i = 0; i <= 12; ++i) picture(milliseconds{1000 * i});
  EXPECT_DOUBLE_EQ(stream_.full_pictures().frame_rate, 1);
  EXPECT_DOUBLE_EQ(stream_.full_pictures().per_second, 5) << "no frame gets the bits of a second";
}

TEST_F(StreamTest, EveryGroupGetsEveryPicture) {
  stream_.open_group(0, kRate);
  stream_.open_group(1, kRate);
  for (int i = 0; i < 3; ++i) {
    picture(milliseconds{33 * i});
    EXPECT_EQ(logs_[0].wait(i + 1).back()->number, static_cast<std::uint64_t>(i));
    EXPECT_EQ(logs_[1].wait(i + 1).back()->number, static_cast<std::uint64_t>(i));
  }
}

TEST_F(StreamTest, NewGroupBeginsWithTheNewestPictureAtOnce) {
  picture(milliseconds{0});
  picture(milliseconds{33});
  stream_.open_group(0, kRate);
  const auto first = logs_[0].wait(1).front();
  EXPECT_EQ(first->number, 1U);
  EXPECT_TRUE(first->keyframe);
}

TEST_F(StreamTest, ThePictureThatStartsAGroupIsNotEncodedTwice) {
  picture(milliseconds{0});
  stream_.open_group(0, kRate);
  logs_[0].wait(1);
  picture(milliseconds{33});
  const auto packets = logs_[0].wait(2);
  EXPECT_EQ(packets[0]->number, 0U);
  EXPECT_EQ(packets[1]->number, 1U);
}

TEST_F(StreamTest, NewGroupDoesNotBeginWithAStalePicture) {
  picture(milliseconds{0}, milliseconds{1000});
  stream_.open_group(0, kRate);
  picture(milliseconds{1033});
  EXPECT_EQ(logs_[0].wait(1).front()->number, 1U);
}

TEST_F(StreamTest, ClosedGroupPublishesNoMore) {
  stream_.open_group(0, kRate);
  stream_.open_group(1, kRate);
  picture(milliseconds{0});
  logs_[0].wait(1);
  stream_.close_group(0);
  picture(milliseconds{33});
  logs_[1].wait(2);
  EXPECT_EQ(logs_[0].size(), 1U);
  EXPECT_EQ(stream_.state().groups.size(), 1U);
}

TEST_F(StreamTest, PublishesNothingAfterStop) {
  stream_.open_group(0, kRate);
  for (int i = 0; i < 10; ++i) picture(milliseconds{33 * i});
  stream_.stop();
  const auto before = logs_[0].size();
  picture(milliseconds{400});
  EXPECT_TRUE(stream_.state().groups.empty());
  EXPECT_EQ(logs_[0].size(), before);
}

TEST_F(StreamTest, OpensNoGroupAfterStop) {
  stream_.stop();
  EXPECT_THROW(stream_.open_group(0, kRate), std::runtime_error);
  EXPECT_TRUE(stream_.state().groups.empty());
}

TEST_F(StreamTest, RetargetsOneGroup) {
  stream_.open_group(0, kRate);
  stream_.open_group(1, kRate);
  stream_.group(1)->retarget(kRate * 2);
  const auto groups = stream_.state().groups;
  EXPECT_EQ(groups.at(0).target, kRate);
  EXPECT_EQ(groups.at(1).target, kRate * 2);
}

TEST_F(StreamTest, SchedulesAKeyframeAfterTheNewestPicture) {
  stream_.open_group(0, kRate);
  picture(milliseconds{0});
  logs_[0].wait(1);
  picture(milliseconds{1100});
  logs_[0].wait(2);
  EXPECT_EQ(stream_.schedule_keyframe(0, milliseconds{50}), milliseconds{1150});
  picture(milliseconds{1160});
  EXPECT_TRUE(logs_[0].wait(3).back()->keyframe);
}

TEST_F(StreamTest, UnknownGroupIsIgnored) {
  EXPECT_EQ(stream_.group(2), nullptr);
  stream_.schedule_keyframe(2, {});
  stream_.close_group(2);
  EXPECT_TRUE(stream_.state().groups.empty());
}

TEST_F(StreamTest, StateIncludesTheSource) { EXPECT_EQ(stream_.state().source.restarts, 5U); }

TEST_F(StreamTest, GroupsOpenAndCloseWhilePicturesFlow) {
  std::jthread source{[this] {
    for (int i = 0; i < 60; ++i) picture(milliseconds{33 * i});
  }};
  for (int i = 0; i < 20; ++i) {
    stream_.open_group(0, kRate);
    stream_.state();
    stream_.close_group(0);
  }
}

TEST(StreamAudioTest, EachGroupGetsTheRateThatItIsSetTo) {
  PacketLog logs[2];
  const MediaClock media_clock;
  Stream stream{StreamSettings{},
                clock_of(media_clock),
                {},
                [&](Stream::GroupIndex group, media::PacketPtr packet) {
                  if (packet->kind == media::Packet::Kind::kAudio) logs[group].add(packet);
                }};
  stream.open_group(0, kRate);
  stream.open_group(1, kRate);
  stream.group(1)->set_audio(2);
  test::Pictures pictures{test::Content::kStatic, 320, 180};
  for (int i = 0; i < 30; ++i) {
    FakeIngest::current->sink.frame(pictures.next(milliseconds{33 * i}));
  }
  logs[0].wait(20);
  const auto packets = logs[1].wait(20);
  for (std::size_t i = 0; i < packets.size(); ++i) EXPECT_EQ(packets[i]->number, i);
  const auto state = stream.state();
  EXPECT_EQ(state.audio.encoders, 2U);
  EXPECT_EQ(state.groups.at(0).audio, base::BitRate::kbps(128));
  EXPECT_EQ(state.groups.at(1).audio, base::BitRate::kbps(32));
}

TEST(StreamAudioTest, EveryGroupGetsTheSameAudio) {
  PacketLog logs[2];
  StreamSettings with_audio;
  const MediaClock media_clock;
  Stream stream{with_audio,
                clock_of(media_clock),
                {},
                [&](Stream::GroupIndex group, media::PacketPtr packet) {
                  if (packet->kind == media::Packet::Kind::kAudio) logs[group].add(packet);
                }};
  stream.open_group(0, kRate);
  stream.open_group(1, kRate);
  test::Pictures pictures{test::Content::kStatic, 320, 180};
  for (int i = 0; i < 30; ++i) {
    FakeIngest::current->sink.frame(pictures.next(milliseconds{33 * i}));
  }
  const auto a = logs[0].wait(20);
  const auto b = logs[1].wait(20);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(a[i]->number, i);
    EXPECT_EQ(b[i]->number, i);
    EXPECT_EQ(a[i]->pts, b[i]->pts);
  }
}

}  // namespace
}  // namespace transcoder
