#include "transcoder/encode/encode_group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <latch>
#include <stdexcept>
#include <thread>

#include "packet_log.h"
#include "pictures.h"

namespace transcoder {
namespace {

using std::chrono::milliseconds;
using test::PacketLog;
using ::testing::ElementsAre;

constexpr auto kRate = base::BitRate::kbps(1000);

/// The test's instructions to the fake encoders, and a record of their calls. Outlives them.
struct Script {
  std::atomic<int> opened{0};
  std::atomic<int> failing_opens{0};   ///< number of opens that fail
  std::atomic<bool> fail_next{false};  ///< makes the next frame an error
  std::atomic<bool> not_h264{false};   ///< makes the next frame one that no muxer accepts
  std::atomic<bool> cannot_recover{false};
  std::atomic<int> nice{0};    ///< nice value of the encoding thread
  std::latch* hold = nullptr;  ///< blocks the first frame
  std::mutex mutex;
  std::vector<base::BitRate> rates;           // GUARDED_BY(mutex); at open, then retargets
  std::vector<std::size_t> efforts;           // GUARDED_BY(mutex)
  std::vector<media::PictureFormat> formats;  // GUARDED_BY(mutex)
  std::vector<media::Pts> skipped;            // GUARDED_BY(mutex)
  std::vector<std::uint64_t> recovers_from;   // GUARDED_BY(mutex)
};

/// Parameter sets of Constrained Baseline profile, level 4.
const std::vector<std::uint8_t> kParameterSets{0,    0, 0, 1, 0x67, 66,   0xc0, 40,   0x89, 0x6b,
                                               0x58, 0, 0, 0, 1,    0x68, 0xce, 0x3c, 0x80};

void append(std::vector<std::uint8_t>& out, const std::vector<std::uint8_t>& bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

class FakeEncoder : public Encoder {
 public:
  explicit FakeEncoder(Script& script) : script_{script} {}

  void retarget(base::BitRate rate) override {
    std::lock_guard lock{script_.mutex};
    script_.rates.push_back(rate);
  }

  void set_effort(std::size_t effort) override {
    std::lock_guard lock{script_.mutex};
    script_.efforts.push_back(effort);
  }

  void skip(media::Pts pts) override {
    std::lock_guard lock{script_.mutex};
    script_.skipped.push_back(pts);
  }

  bool recover(std::uint64_t number) override {
    std::lock_guard lock{script_.mutex};
    script_.recovers_from.push_back(number);
    return !script_.cannot_recover;
  }

  base::Result<EncodedFrame> encode(const media::Frame&, bool keyframe) override {
    script_.nice = ::getpriority(PRIO_PROCESS, 0);
    if (script_.hold != nullptr) script_.hold->wait();
    if (script_.fail_next.exchange(false)) return base::Error{"told to fail"};
    EncodedFrame frame;
    frame.bytes = {0, 0, 0, 1, 9, 0xf0};
    if (keyframe) append(frame.bytes, kParameterSets);
    append(frame.bytes, {0, 0, 0, 1, 0x41, 0x9a});
    if (script_.not_h264.exchange(false)) frame.bytes.assign(12, 0xff);
    frame.keyframe = keyframe;
    frame.target = base::ByteCount{4000};
    return frame;
  }

 private:
  Script& script_;
};

class EncodeGroupTest : public ::testing::Test {
 protected:
  EncodeGroup& open() {
    EncoderSettings settings;
    settings.keyframe_interval = std::chrono::seconds{2};
    group_ = std::make_unique<EncodeGroup>(
        "live", VideoSettings{}, AudioSettings{}, settings, kRate, OperatingPoint{},
        [this](media::PacketPtr packet) { log_.add(std::move(packet)); },
        [this](const EncoderSettings&, const media::PictureFormat& format, double,
               base::BitRate rate) -> std::unique_ptr<Encoder> {
          if (script_.failing_opens > 0 && script_.failing_opens-- > 0) {
            throw std::runtime_error{"told not to open"};
          }
          ++script_.opened;
          std::lock_guard lock{script_.mutex};
          script_.rates.push_back(rate);
          script_.formats.push_back(format);
          return std::make_unique<FakeEncoder>(script_);
        });
    return *group_;
  }

  /// Passes one picture through the group and returns its packet.
  media::PacketPtr pass(milliseconds pts, int width = 320, int height = 180) {
    const auto before = log_.size();
    group_->push(picture(pts, width, height));
    return log_.wait(before + 1).back();
  }

  /// Another encoder is not opened sooner after a failure.
  static constexpr base::Duration kRetryInterval = std::chrono::seconds{1};

  static void await(const std::function<bool()>& condition) {
    while (!condition()) std::this_thread::yield();
  }

  media::FramePtr picture(milliseconds pts, int width = 320, int height = 180) {
    auto frame = std::make_shared<media::Frame>(
        *test::Pictures{test::Content::kStatic, width, height}.next(pts));
    frame->number = number_++;
    return frame;
  }

  std::uint64_t number_ = 7;
  Script script_;
  PacketLog log_;
  std::unique_ptr<EncodeGroup> group_;  ///< last, because its thread uses the others
};

TEST_F(EncodeGroupTest, PacketDescribesItsFrame) {
  open();
  const auto packet = pass(milliseconds{100});
  EXPECT_EQ(packet->kind, media::Packet::Kind::kVideo);
  EXPECT_EQ(packet->number, 7U);
  EXPECT_EQ(packet->pts, milliseconds{100});
  EXPECT_EQ(packet->captured, base::Time{milliseconds{100}});
  EXPECT_EQ(packet->rate, kRate);
  EXPECT_EQ(packet->target, base::ByteCount{4000});
  EXPECT_TRUE(packet->keyframe);
  EXPECT_EQ(packet->ts.size() % 188, 0U);
}

TEST_F(EncodeGroupTest, EncodersHaveALowerPriority) {
  open();
  pass(milliseconds{0});
  EXPECT_GT(script_.nice, ::getpriority(PRIO_PROCESS, 0));
}

TEST_F(EncodeGroupTest, AudioPassesThroughTheMuxer) {
  auto audio = std::make_shared<media::AudioFrame>();
  audio->number = 3;
  audio->pts = milliseconds{64};
  audio->encoded = base::Time{milliseconds{99}};
  audio->rungs[0].bytes.assign(300, 0x21);
  open().push(audio);
  const auto packet = log_.wait(1).front();
  EXPECT_EQ(packet->kind, media::Packet::Kind::kAudio);
  EXPECT_EQ(packet->number, 3U);
  EXPECT_EQ(packet->pts, milliseconds{64});
  EXPECT_EQ(packet->captured, base::Time{milliseconds{99}});
}

/// Audio frame `number`, whose rungs are told apart by their size.
media::AudioFramePtr audio_frame(std::uint64_t number) {
  auto frame = std::make_shared<media::AudioFrame>();
  frame->number = number;
  for (std::size_t rung = 0; rung < frame->rungs.size(); ++rung) {
    frame->rungs[rung] = {.bytes = std::vector<std::uint8_t>(300 - 100 * rung, 0x21),
                          .begins = media::AudioWindow::kLongKbd,
                          .ends = media::AudioWindow::kLongKbd};
  }
  return frame;
}

TEST_F(EncodeGroupTest, TakesTheAudioRungThatItIsSetTo) {
  open();
  group_->push(audio_frame(0));
  EXPECT_EQ(log_.wait(1).back()->unit.size(), 300U);
  EXPECT_EQ(group_->state().audio, base::BitRate::kbps(128));
  group_->set_audio(2);
  EXPECT_EQ(group_->audio_rungs(), media::AudioRungs{0b101}) << "it still uses the highest";
  group_->push(audio_frame(1));
  EXPECT_EQ(log_.wait(2).back()->unit.size(), 100U);
  EXPECT_EQ(group_->audio_rungs(), media::AudioRungs{0b100});
  EXPECT_EQ(group_->state().audio, base::BitRate::kbps(32));
  group_->set_audio(0);
  group_->push(audio_frame(2));
  EXPECT_EQ(log_.wait(3).back()->number, 2U);
  EXPECT_EQ(group_->state().audio, base::BitRate::kbps(128));
}

TEST_F(EncodeGroupTest, ARungBelowTheLowestIsTheLowest) {
  open();
  group_->set_audio(9);
  group_->push(audio_frame(0));
  EXPECT_EQ(log_.wait(1).back()->unit.size(), 100U);
}

TEST_F(EncodeGroupTest, KeyframesFollowTheCommonClock) {
  open();
  EXPECT_TRUE(pass(milliseconds{1500})->keyframe);
  EXPECT_FALSE(pass(milliseconds{1900})->keyframe);
  EXPECT_TRUE(pass(milliseconds{2010})->keyframe);
  EXPECT_EQ(group_->state().keyframes, 2U);
  EXPECT_EQ(group_->state().keyframes_forced, 0U);
}

TEST_F(EncodeGroupTest, ScheduledKeyframeIsEncodedAndCounted) {
  open();
  pass(milliseconds{0});
  EXPECT_EQ(group_->schedule_keyframe(milliseconds{1100}), milliseconds{1100});
  EXPECT_FALSE(pass(milliseconds{1050})->keyframe);
  EXPECT_TRUE(pass(milliseconds{1150})->keyframe);
  EXPECT_EQ(group_->state().keyframes_forced, 1U);
}

TEST_F(EncodeGroupTest, RetargetTakesEffectWithTheNextFrameWithoutAKeyframe) {
  open();
  pass(milliseconds{0});
  group_->retarget(kRate * 0.5);
  const auto packet = pass(milliseconds{40});
  EXPECT_FALSE(packet->keyframe);
  EXPECT_EQ(packet->rate, kRate * 0.5);
  EXPECT_THAT(script_.rates, ElementsAre(kRate, kRate * 0.5));
  EXPECT_EQ(group_->state().retargets, 1U);
  EXPECT_EQ(group_->state().target, kRate * 0.5);
}

TEST_F(EncodeGroupTest, AnEffortIsSetOnceAndForEachNewEncoder) {
  open();
  pass(milliseconds{0});
  group_->set_effort(3);
  pass(milliseconds{40});
  pass(milliseconds{80});
  EXPECT_THAT(script_.efforts, ElementsAre(3U));
  script_.fail_next = true;
  group_->push(picture(milliseconds{120}));
  while (group_->state().failures == 0) std::this_thread::yield();
  EXPECT_TRUE(pass(milliseconds{160})->keyframe);
  EXPECT_THAT(script_.efforts, ElementsAre(3U, 3U));
}

TEST_F(EncodeGroupTest, TheSameTargetIsNotARetarget) {
  open();
  pass(milliseconds{0});
  group_->retarget(kRate);
  pass(milliseconds{40});
  EXPECT_EQ(group_->state().retargets, 0U);
}

TEST_F(EncodeGroupTest, NewFormatOpensANewEncoderWithAKeyframe) {
  open();
  pass(milliseconds{0});
  EXPECT_TRUE(pass(milliseconds{40}, 160, 90)->keyframe);
  EXPECT_EQ(script_.opened, 2);
  EXPECT_EQ(group_->state().format.width, 160);
  EXPECT_EQ(group_->state().failures, 0U);
}

TEST_F(EncodeGroupTest, PictureBeyondTheLimitsIsScaled) {
  open();
  pass(milliseconds{0}, 2560, 1440);
  EXPECT_EQ(script_.formats.at(0).width, 1280);
  EXPECT_EQ(script_.formats.at(0).height, 720);
}

TEST_F(EncodeGroupTest, EncoderErrorOpensANewEncoderWithAKeyframe) {
  open();
  pass(milliseconds{0});
  script_.fail_next = true;
  group_->push(picture(milliseconds{40}));
  while (group_->state().failures == 0) std::this_thread::yield();
  EXPECT_TRUE(pass(milliseconds{80})->keyframe);
  EXPECT_EQ(script_.opened, 2);
  EXPECT_EQ(group_->state().failures, 1U);
}

TEST_F(EncodeGroupTest, AnEncoderWithoutUsableOutputIsNotReplacedAtOnce) {
  const auto begin = base::Clock::now();
  script_.not_h264 = true;
  open();
  group_->push(picture(milliseconds{0}));
  await([&] { return group_->state().failures == 1; });
  group_->push(picture(milliseconds{40}));
  await([&] { return group_->state().failures == 2; });
  if (base::Clock::now() - begin >= kRetryInterval) GTEST_SKIP() << "the machine paused";
  EXPECT_EQ(script_.opened, 1);
  EXPECT_EQ(log_.size(), 0U);
}

TEST_F(EncodeGroupTest, AfterAFailedOpenEachLostPictureIsCountedUntilTheRetry) {
  const auto begin = base::Clock::now();
  script_.failing_opens = 1;
  open();
  group_->push(picture(milliseconds{0}));
  const auto settled = [&] { return group_->state().encode_time; };  // grows after each item
  while (settled() == base::Duration{}) std::this_thread::yield();
  const auto before = settled();
  group_->push(picture(milliseconds{40}));
  while (settled() == before) std::this_thread::yield();
  if (base::Clock::now() - begin >= kRetryInterval) GTEST_SKIP() << "the machine paused";
  EXPECT_EQ(group_->state().failures, 2U);
  EXPECT_EQ(script_.opened, 0);
  EXPECT_EQ(log_.size(), 0U);
}

TEST_F(EncodeGroupTest, LateEncoderDropsTheOldestPictures) {
  std::latch hold{1};
  script_.hold = &hold;
  open();
  group_->push(picture(milliseconds{0}));
  while (script_.opened == 0) std::this_thread::yield();  // the encoder holds the first picture now
  for (int i = 1; i <= 5; ++i) group_->push(picture(milliseconds{40 * i}));
  hold.count_down();
  const auto packets = log_.wait(3);
  EXPECT_EQ(packets[1]->number, 7 + 4U);
  EXPECT_EQ(packets[2]->number, 7 + 5U);
  EXPECT_EQ(group_->state().frames_late, 3U);
  EXPECT_EQ(group_->state().frames_skipped, 0U);
}

TEST_F(EncodeGroupTest, SkipsTheFramesOfAPauseAndReportsTheirTimestamps) {
  open();
  pass(milliseconds{0});
  group_->pause(base::Clock::now() + std::chrono::hours{1});
  group_->push(picture(milliseconds{40}));
  await([&] { return group_->state().frames_skipped == 1; });  // the inbox holds only two
  group_->push(picture(milliseconds{80}));
  await([&] { return group_->state().frames_skipped == 2; });
  group_->pause({});
  const auto packet = pass(milliseconds{120});
  EXPECT_EQ(packet->number, 7 + 3U);
  EXPECT_EQ(packet->pts, milliseconds{120});
  EXPECT_FALSE(packet->keyframe);
  EXPECT_THAT(script_.skipped, ElementsAre(milliseconds{40}, milliseconds{80}));
  EXPECT_EQ(group_->state().frames_skipped, 2U);
  EXPECT_EQ(group_->state().paused, milliseconds{80});
  EXPECT_EQ(group_->state().frames_late, 0U);
}

TEST_F(EncodeGroupTest, TheNextFrameRecoversFromLostFrames) {
  open();
  for (int i = 0; i < 4; ++i) pass(milliseconds{40 * i});
  group_->recover({.first = 9, .last = 10});
  group_->recover({.first = 10, .last = 10});
  EXPECT_FALSE(pass(milliseconds{200})->keyframe);
  pass(milliseconds{240});
  EXPECT_THAT(script_.recovers_from, ElementsAre(9));
  EXPECT_EQ(group_->state().recoveries, 1U);
}

TEST_F(EncodeGroupTest, AKeyframeAfterTheLostFramesNeedsNoRecovery) {
  open();
  pass(milliseconds{1900});
  pass(milliseconds{1940});
  EXPECT_TRUE(pass(milliseconds{2000})->keyframe);
  group_->recover({.first = 8, .last = 8});
  pass(milliseconds{2040});
  EXPECT_THAT(script_.recovers_from, ElementsAre());
}

TEST_F(EncodeGroupTest, KeyframesRecoverOncePerSecondIfTheEncoderCannot) {
  script_.cannot_recover = true;
  open();
  pass(milliseconds{10});
  pass(milliseconds{50});
  group_->recover({.first = 8, .last = 8});
  EXPECT_TRUE(pass(milliseconds{90})->keyframe);
  group_->recover({.first = 10, .last = 10});
  EXPECT_FALSE(pass(milliseconds{1080})->keyframe);
  EXPECT_TRUE(pass(milliseconds{1100})->keyframe);
  EXPECT_EQ(group_->state().keyframes_forced, 2U);
  EXPECT_EQ(group_->state().recoveries, 0U);
}

TEST_F(EncodeGroupTest, ASmallerOperatingPointOpensANewEncoderWithAKeyframe) {
  open();
  pass(milliseconds{0});
  group_->set_point({.scale = 0.5});
  EXPECT_TRUE(pass(milliseconds{40})->keyframe);
  EXPECT_EQ(script_.formats.at(1).width, 160);
  EXPECT_EQ(script_.formats.at(1).height, 90);
  EXPECT_FALSE(pass(milliseconds{80})->keyframe);
}

TEST_F(EncodeGroupTest, ASlowerOperatingPointLeavesOutFramesByTheirNumber) {
  open();
  pass(milliseconds{0});  // number 7
  group_->set_point({.every = 2});
  const auto packet = pass(milliseconds{40});
  EXPECT_EQ(packet->number, 8U);
  EXPECT_FALSE(packet->keyframe);
  group_->push(picture(milliseconds{80}));
  await([&] { return group_->state().frames_left_out == 1; });
  EXPECT_EQ(pass(milliseconds{120})->number, 10U);
  EXPECT_EQ(script_.opened, 1);
  EXPECT_EQ(group_->state().frames_skipped, 0U);
  EXPECT_TRUE(script_.skipped.empty());
}

TEST_F(EncodeGroupTest, AKeyframeDueAtALeftOutFrameMovesToTheNextFrame) {
  open();
  group_->set_point({.every = 2});
  number_ = 8;
  pass(milliseconds{1960});
  group_->push(picture(milliseconds{2000}));
  EXPECT_TRUE(pass(milliseconds{2040})->keyframe);
}

TEST_F(EncodeGroupTest, APauseEndsAtItsTime) {
  open();
  pass(milliseconds{0});
  group_->pause(base::Clock::now() + std::chrono::hours{1});
  group_->pause(base::Clock::now() - milliseconds{1});
  EXPECT_EQ(pass(milliseconds{80})->number, 7 + 1U);
  EXPECT_EQ(group_->state().frames_skipped, 0U);
}

TEST_F(EncodeGroupTest, AKeyframeForOthersEndsAPause) {
  open();
  pass(milliseconds{0});
  group_->pause(base::Clock::now() + std::chrono::hours{1});
  group_->schedule_keyframe(milliseconds{40});
  pass(milliseconds{40});
  EXPECT_EQ(group_->state().frames_skipped, 0U);
}

TEST_F(EncodeGroupTest, AKeyframeDueAtASkippedFrameMovesToTheNextFrame) {
  open();
  pass(milliseconds{1900});
  group_->pause(base::Clock::now() + std::chrono::hours{1});
  group_->push(picture(milliseconds{2000}));
  await([&] { return group_->state().frames_skipped == 1; });
  group_->pause({});
  EXPECT_TRUE(pass(milliseconds{2040})->keyframe);
}

TEST_F(EncodeGroupTest, StateCountsPublishedFramesAndBytes) {
  open();
  const auto first = pass(milliseconds{0});
  const auto second = pass(milliseconds{40});
  const auto state = group_->state();
  EXPECT_EQ(state.frames, 2U);
  EXPECT_EQ(state.bytes, first->ts.size() + second->ts.size());
  const base::ByteCount units{static_cast<std::int64_t>(first->unit.size() + second->unit.size())};
  EXPECT_EQ(state.actual, base::BitRate::of(units, std::chrono::seconds{1}));
}

TEST_F(EncodeGroupTest, StateCountsTheCpuTimeOfItsThread) {
  open();
  pass(milliseconds{0});
  while (group_->state().encode_time == base::Duration{}) std::this_thread::yield();
}

TEST_F(EncodeGroupTest, ClosesWhileBusy) {
  open();
  for (int i = 0; i < 20; ++i) group_->push(picture(milliseconds{40 * i}));
  group_.reset();
  EXPECT_LE(log_.size(), 20U);
}

}  // namespace
}  // namespace transcoder
