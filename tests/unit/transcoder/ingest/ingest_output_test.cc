#include "transcoder/ingest/ingest_output.h"

#include <gtest/gtest.h>

#include <future>
#include <vector>

namespace transcoder {
namespace {

using namespace std::chrono_literals;

const base::Time kEpoch{1000s};  // pts 0
const MediaClock kMediaClock{{.monotonic = kEpoch}};
const std::uint8_t kPixels[6] = {};

class IngestOutputTest : public testing::Test {
 protected:
  void picture(base::Duration pts, base::Duration captured) {
    output_.picture({.format = {.width = 2, .height = 2},
                     .plane = {kPixels, kPixels + 4, kPixels + 5},
                     .stride = {2, 1, 1},
                     .memory = nullptr,
                     .number = 0,
                     .pts = pts,
                     .captured = kEpoch + captured});
  }
  void audio(base::Duration pts, base::Duration captured) {
    output_.audio({.pts = pts, .values = {0, 0}}, kEpoch + captured);
  }
  Ingest::State state(base::Duration now) const { return output_.state(kEpoch + now); }

  std::vector<media::FramePtr> frames_;
  std::vector<media::Samples> samples_;
  IngestOutput output_{"live",
                       {.max_width = 1280, .max_height = 720, .max_frame_rate = 30},
                       StreamClock{kMediaClock, 2s, kEpoch},
                       {.frame = [this](media::FramePtr f) { frames_.push_back(std::move(f)); },
                        .samples = [this](media::Samples s) { samples_.push_back(std::move(s)); }}};
};

TEST_F(IngestOutputTest, NumbersThePicturesItDelivers) {
  picture(0ms, 0ms);
  picture(10ms, 10ms);  // 100 per second: dropped
  picture(40ms, 40ms);
  ASSERT_EQ(frames_.size(), 2u);
  EXPECT_EQ(frames_[0]->number, 0u);
  EXPECT_EQ(frames_[1]->number, 1u);
  EXPECT_EQ(state(40ms).frames, 2u);
  EXPECT_EQ(state(40ms).frames_dropped, 1u);
}

TEST_F(IngestOutputTest, ReportsTheFormat) {
  EXPECT_EQ(state(0ms).format.width, 0);
  picture(0ms, 0ms);
  EXPECT_EQ(state(0ms).format.width, 2);
}

TEST_F(IngestOutputTest, KnowsWhenTheSourceDeliveredItsLastPicture) {
  EXPECT_EQ(state(0ms).last_picture, std::nullopt);
  picture(0ms, 0ms);
  picture(40ms, 40ms);
  output_.repeat_after(200ms, kEpoch + 1s);
  EXPECT_EQ(state(1s).last_picture, kEpoch + 40ms);
}

TEST_F(IngestOutputTest, StallsAfterALongQuietOrThreeFrameIntervals) {
  EXPECT_FALSE(output_.stalled_since(kEpoch + 1h)) << "not before the first picture";
  picture(0ms, 0ms);
  picture(40ms, 40ms);
  EXPECT_FALSE(output_.stalled_since(kEpoch + 40ms + kFreezeTime));
  EXPECT_TRUE(output_.stalled_since(kEpoch + 41ms + kFreezeTime));
  picture(2s, 2s);  // a slide show
  EXPECT_FALSE(output_.stalled_since(kEpoch + 7s));
  EXPECT_TRUE(output_.stalled_since(kEpoch + 8s));
}

TEST_F(IngestOutputTest, AnOutageIsNoFrameInterval) {
  picture(0ms, 0ms);
  output_.restart();
  picture(0ms, 1min);
  EXPECT_TRUE(output_.stalled_since(kEpoch + 1min + kFreezeTime + 1ms));
}

TEST_F(IngestOutputTest, RepeatsTheLastPictureAfterQuiet) {
  picture(7s, 0ms);
  output_.repeat_after(200ms, kEpoch + 199ms);
  EXPECT_EQ(frames_.size(), 1u);
  output_.repeat_after(200ms, kEpoch + 200ms);
  ASSERT_EQ(frames_.size(), 2u);
  EXPECT_EQ(frames_[1]->pts, 100ms);
  EXPECT_EQ(frames_[1]->number, 1u);
  EXPECT_EQ(frames_[1]->plane, frames_[0]->plane);
  EXPECT_EQ(state(200ms).frames, 1u);
  EXPECT_EQ(state(200ms).frames_repeated, 1u);
}

TEST_F(IngestOutputTest, ARepeatDoesNotOvertakeAPictureThatIsOnlyLate) {
  for (int i = 0; i < 10; ++i) {
    const auto late = i % 2 == 1 ? 60ms : 0ms;
    output_.repeat_after(1s, kEpoch + 1s * i);
    picture(7s + 1s * i, 1s * i + late);
  }
  EXPECT_EQ(state(10s).frames, 10u);
  EXPECT_GT(state(10s).frames_repeated, 0u);
}

TEST_F(IngestOutputTest, APauseAfterWhichPicturesAreLateEnds) {
  picture(7s, 0ms);
  for (auto now = 40ms; now < 3s; now += 40ms) {
    const auto quiet = output_.stalled_since(kEpoch + now) ? 200ms : 800ms;
    output_.repeat_after(quiet, kEpoch + now);
    if (now >= 1s) picture(7s + now - 500ms, now);
  }
  EXPECT_FALSE(output_.stalled_since(kEpoch + 3s));
  EXPECT_GT(state(3s).frames, 25u);
  EXPECT_EQ(state(3s).stalls, 1u);
}

TEST_F(IngestOutputTest, HasNothingToRepeatBeforeTheFirstPicture) {
  output_.repeat_after(0ms, kEpoch + 5s);
  EXPECT_TRUE(frames_.empty());
}

TEST_F(IngestOutputTest, ContinuesAfterAReconnect) {
  picture(9s, 0ms);
  output_.repeat_after(200ms, kEpoch + 1s);
  output_.restart();
  picture(0s, 1100ms);
  ASSERT_EQ(frames_.size(), 3u);
  EXPECT_EQ(frames_[2]->pts, 1100ms);
  EXPECT_EQ(state(1100ms).timeline_jumps, 0u);
}

TEST_F(IngestOutputTest, CountsJumps) {
  picture(9s, 2s);
  picture(0s, 2040ms);
  EXPECT_EQ(frames_.size(), 2u);
  EXPECT_EQ(state(3s).timeline_jumps, 1u);
  EXPECT_EQ(state(3s).stalls, 0u);
}

TEST_F(IngestOutputTest, CountsStalls) {
  picture(0s, 0s);
  picture(40ms, 3s);
  EXPECT_EQ(frames_.size(), 2u);
  EXPECT_EQ(state(3s).timeline_jumps, 0u);
  EXPECT_EQ(state(3s).stalls, 1u);
}

TEST_F(IngestOutputTest, HasAudioForASecondAfterAudio) {
  picture(0ms, 0ms);
  EXPECT_FALSE(state(0ms).has_audio);
  audio(10ms, 10ms);
  ASSERT_EQ(samples_.size(), 1u);
  EXPECT_EQ(samples_[0].pts, 10ms);
  EXPECT_TRUE(state(1s).has_audio);
  EXPECT_FALSE(state(1100ms).has_audio);
}

TEST_F(IngestOutputTest, KeepsNoAudioOfTheMinuteBeforeALateKeyframe) {
  for (base::Duration time{}; time < 1min; time += 20ms) audio(time, time);
  EXPECT_TRUE(samples_.empty());
  picture(1min, 1min);
  audio(1min + 20ms, 1min + 20ms);
  ASSERT_EQ(samples_.size(), 1u);
  EXPECT_EQ(samples_[0].pts - frames_[0]->pts, 20ms);
}

TEST_F(IngestOutputTest, DropsAndCountsAudioFarFromThePictures) {
  picture(0ms, 0ms);
  audio(1900ms, 10ms);
  audio(2100ms, 10ms);
  EXPECT_EQ(samples_.size(), 1u);
  EXPECT_EQ(state(10ms).audio_dropped_samples, 1u);
}

/// A picture at once, and five that arrive together after 200 ms.
void burst(IngestOutput& output, base::Time epoch) {
  for (int i = 0; i < 6; ++i) {
    output.picture({.format = {.width = 2, .height = 2},
                    .plane = {},
                    .stride = {},
                    .memory = nullptr,
                    .number = 0,
                    .pts = 40ms * i,
                    .captured = epoch + (i == 0 ? 0ms : 200ms)});
  }
}

TEST(IngestOutputBurstTest, SpacesABurstByItsTimestamps) {
  std::vector<std::pair<media::FramePtr, base::Time>> delivered;
  std::promise<void> complete;
  const auto epoch = base::Clock::now();
  const MediaClock media_clock{{.monotonic = epoch}};
  const auto sink = [&](media::FramePtr frame) {
    delivered.emplace_back(std::move(frame), base::Clock::now());
    if (delivered.size() == 6) complete.set_value();
  };
  IngestOutput output{
      "live", {}, StreamClock{media_clock, 2s, epoch}, {.frame = sink, .samples = {}}};
  burst(output, epoch);
  complete.get_future().wait();
  for (unsigned i = 2; i < 6; ++i) {
    const auto& [frame, at] = delivered[i];
    EXPECT_EQ(frame->number, i);
    // As late as the first of the burst. The timeline may move by 500 ppm.
    EXPECT_NEAR(base::seconds(frame->captured - epoch), 0.16 + 0.04 * i, 0.001);
    EXPECT_GE(at, frame->captured);
  }
  EXPECT_NEAR(base::seconds(output.state(epoch).longest_wait), 0.16, 0.001);
}

TEST(IngestOutputBurstTest, DropsWaitingPicturesOnceClosed) {
  int frames = 0;
  const auto epoch = base::Clock::now() + 1h;
  const MediaClock media_clock{{.monotonic = epoch}};
  IngestOutput output{"live",
                      {},
                      StreamClock{media_clock, 2s, epoch},
                      {.frame = [&](auto) { ++frames; }, .samples = {}}};
  burst(output, epoch);
  output.close();
  EXPECT_EQ(frames, 2) << "the others are due in an hour";
}

TEST_F(IngestOutputTest, DoesNotCallTheSinkOnceClosed) {
  picture(0ms, 0ms);
  output_.close();
  picture(40ms, 40ms);
  audio(40ms, 40ms);
  output_.repeat_after(0ms, kEpoch + 1s);
  EXPECT_EQ(frames_.size(), 1u);
  EXPECT_TRUE(samples_.empty());
}

}  // namespace
}  // namespace transcoder
