#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <ranges>
#include <thread>

#include "ffmpeg_process.h"
#include "ingest_recorder.h"

namespace transcoder::test {
namespace {

using namespace std::chrono_literals;
using Arguments = FfmpegProcess::Arguments;

const Arguments kH264{"-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"};

Arguments operator+(Arguments a, const Arguments& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Arguments pictures(const std::string& size, const std::string& rate,
                   const std::string& seconds = "1") {
  return {"-f", "lavfi", "-i", "testsrc2=size=" + size + ":rate=" + rate + ":duration=" + seconds};
}

Arguments tone(const std::string& layout, const std::string& seconds = "1") {
  return {"-f", "lavfi", "-i",
          "sine=440:sample_rate=44100:duration=" + seconds + ",aformat=channel_layouts=" + layout};
}

/// A black picture that is white from 0.4 s to 0.5 s, with a beep at the same time.
const Arguments kFlashAndBeep{
    "-f",
    "lavfi",
    "-i",
    "color=black:size=320x240:rate=25:duration=1.6,"
    "drawbox=color=white:t=fill:enable='between(t,0.399,0.499)'",
    "-f",
    "lavfi",
    "-i",
    "aevalsrc='between(t,0.4,0.5)*sin(2*PI*1000*t)':sample_rate=48000:duration=1.6"};

const std::map<std::string, Arguments>& recipes() {
  static const std::map<std::string, Arguments> result{
      {"h264_aac.mp4", kFlashAndBeep + kH264 + Arguments{"-bf", "2", "-c:a", "aac"}},
      {"ten_bit.mkv",
       pictures("320x240", "25") +
           Arguments{"-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv422p10le"}},
      {"rgb.mov", pictures("160x120", "25") + Arguments{"-c:v", "qtrle", "-pix_fmt", "rgb24"}},
      {"interlaced.ts", pictures("352x288", "50") + tone("mono") +
                            Arguments{"-vf", "interlace,setsar=16/11", "-c:v", "mpeg2video",
                                      "-flags", "+ilme+ildct", "-b:v", "3M", "-c:a", "mp2"}},
      {"odd.mkv", pictures("161x121", "25") + Arguments{"-c:v", "ffv1", "-pix_fmt", "yuv444p"}},
      {"variable.mkv", pictures("160x120", "25") +
                           Arguments{"-vf", "select='not(mod(n,3))+lt(n,12)'", "-fps_mode", "vfr"} +
                           kH264},
      {"unpositioned.mov",
       pictures("160x120", "25") + tone("mono") + kH264 +
           Arguments{"-af", "pan=4c|c0=c0|c1=c0|c2=c0|c3=c0", "-c:a", "pcm_s16le"}},
      {"surround.mkv", pictures("160x120", "25") + tone("5.1") + kH264 + Arguments{"-c:a", "ac3"}},
      {"late_audio.mkv", pictures("160x120", "25", "1.6") + Arguments{"-itsoffset", "0.8"} +
                             tone("stereo", "0.8") + kH264 + Arguments{"-c:a", "aac"}},
      {"big.mp4", pictures("640x360", "60") + kH264},
      {"wide.mp4", pictures("1280x720", "5") + kH264},  // without colorimetry
      {"upright.mp4", pictures("360x640", "25") + kH264},
      {"two_tracks.mkv",
       pictures("160x120", "25") + pictures("320x240", "25") + tone("mono") + tone("stereo") +
           kH264 + Arguments{"-map", "0", "-map", "1", "-map", "2", "-map", "3", "-c:a", "aac"}},
      {"described.ts", pictures("160x120", "25") +
                           Arguments{"-f", "lavfi", "-i", "anullsrc=duration=1"} + tone("stereo") +
                           kH264 +
                           Arguments{"-map", "0", "-map", "1", "-map", "2", "-c:a", "mp2",
                                     "-disposition:a:0", "visual_impaired"}},
      {"radio_first.ts",
       pictures("160x120", "25") + tone("mono") + kH264 +
           Arguments{"-map", "1", "-map", "0", "-map", "1", "-c:a", "mp2", "-program",
                     "program_num=100:st=0", "-program", "program_num=200:st=1:st=2"}},
      {"languages.mkv",
       pictures("160x120", "25") + Arguments{"-f", "lavfi", "-i", "anullsrc=duration=1"} +
           tone("stereo") + kH264 +
           Arguments{"-map", "0", "-map", "1", "-map", "2", "-c:a", "aac", "-metadata:s:a:0",
                     "language=eng", "-metadata:s:a:1", "language=fre"}},
      {"left_white.mp4",
       Arguments{"-f", "lavfi", "-i",
                 "color=black:size=160x120:rate=25:duration=1,drawbox=w=iw/4:color=white:t=fill"} +
           kH264},
      {"small.ts", pictures("160x120", "25") + kH264},
      {"large.ts", pictures("320x240", "25") + kH264},
      {"years.mkv", pictures("160x120", "25") + tone("stereo") + kH264 +
                        Arguments{"-c:a", "aac", "-output_ts_offset", "1700000000"}},
      {"wrap.ts",  // its 33 bits of 90 kHz wrap after 95443.7 s
       pictures("160x120", "25") + tone("stereo") + kH264 +
           Arguments{"-c:a", "mp2", "-muxdelay", "0", "-output_ts_offset", "95443.3"}},
      {"audio_only.mp4", tone("mono") + Arguments{"-c:a", "aac"}},
      {"tagged.mp3", tone("mono") + Arguments{"-c:a", "libmp3lame", "-metadata", "title=a"}},
  };
  return result;
}

/// Plays all files at the same time, once; the tests examine the results.
class IngestFilesTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!have_ffmpeg()) return;
    directory_ = std::make_unique<TemporaryDirectory>();
    for (const auto& [name, recipe] : recipes()) {
      ASSERT_TRUE(FfmpegProcess{recipe + Arguments{*directory_ / name}}.wait()) << name;
    }
    std::ofstream{*directory_ / "resized.ts"} << std::ifstream{*directory_ / "small.ts"}.rdbuf()
                                              << std::ifstream{*directory_ / "large.ts"}.rdbuf();
    const std::string turned = *directory_ / "turned.mp4";
    ASSERT_TRUE(FfmpegProcess({"-i", *directory_ / "left_white.mp4", "-c", "copy", "-metadata:s:v",
                               "rotate=90", turned})
                    .wait());
    start_gstreamer();
    start_all();
    for (const auto& [name, recorder] : recorders_) {
      EXPECT_TRUE(recorder->wait([&](const auto& state) { return is_enough(name, state); }))
          << name;
    }
    for (auto& [name, recorder] : recorders_) recorder->stop();
  }

  static void start_all() {
    for (const auto& [name, recipe] : recipes()) play(name, file(name), limits_of(name));
    play("interlaced_60", file("interlaced.ts"), {.max_frame_rate = 60});
    play("resized.ts", file("resized.ts"));
    play("turned.mp4", file("turned.mp4"));
    play("french", file("languages.mkv"), {}, "fra");
    play("second", file("languages.mkv"), {}, "2");
    play("none", file("languages.mkv"), {}, "none");
    play("radio", file("radio_first.ts"), {}, "", 100);
    play("missing", file("missing.mp4"));
  }

  static std::string file(const std::string& name) { return "file:" + *directory_ / name; }

  static VideoSettings limits_of(const std::string& name) {
    if (name == "big.mp4") return {.max_width = 320, .max_height = 320, .max_frame_rate = 30};
    if (name == "wide.mp4") return {.max_width = 640, .max_height = 640};
    if (name == "upright.mp4") return {.max_width = 320, .max_height = 180};
    return {};
  }

  /// Every file has begun again at least once; the longest has 40 pictures.
  static bool is_enough(const std::string& name, const Ingest::State& state) {
    if (name == "missing") return !state.last_error.empty();
    static const std::map<std::string, std::uint64_t> counts{
        {"h264_aac.mp4", 90}, {"interlaced_60", 110}, {"resized.ts", 80}, {"wide.mp4", 6}};
    return state.frames >= (counts.contains(name) ? counts.at(name) : 55);
  }

  /// GStreamer reads every plugin at its first use on a machine, which takes seconds.
  static void start_gstreamer() {
    IngestRecorder first{"gst:videotestsrc"};
    first.start();
    EXPECT_TRUE(first.wait([](const auto& state) { return state.frames > 0; }, 60s));
  }

  static void TearDownTestSuite() {
    recorders_.clear();
    directory_.reset();
  }

  void SetUp() override {
    if (!directory_) GTEST_SKIP() << "ffmpeg, which generates the files, is not installed";
  }

  static void play(const std::string& name, const std::string& uri, VideoSettings limits = {},
                   const std::string& audio = "", int program = 0) {
    SourceSettings patient;
    patient.audio = audio;
    patient.program = program;
    patient.silence_timeout = 1h;
    recorders_[name] = std::make_unique<IngestRecorder>(uri, patient, limits);
    recorders_[name]->start();
  }

  static const IngestRecorder& played(const std::string& name) { return *recorders_.at(name); }

  /// Expects an unbroken sequence of pictures over all rounds, `shortest` to `longest` apart, until
  /// the machine pauses.
  static void expect_unbroken(const std::string& name, base::Duration shortest,
                              base::Duration longest) {
    const auto seen = played(name).pictures();
    ASSERT_GT(seen.size(), 20u) << name;
    const auto steady = undisturbed(seen);
    for (std::size_t i = 1; i < seen.size(); ++i) {
      ASSERT_EQ(seen[i].number, seen[i - 1].number + 1) << name;
      ASSERT_GT(seen[i].pts, seen[i - 1].pts) << name << " picture " << i;
      if (i >= steady) continue;
      ASSERT_GE(seen[i].pts - seen[i - 1].pts, shortest - 1ms) << name << " picture " << i;
      ASSERT_LE(seen[i].pts - seen[i - 1].pts, longest + 1ms) << name << " picture " << i;
    }
    if (steady == seen.size()) {
      EXPECT_EQ(played(name).state().timeline_jumps, 0u) << name;
    }
    EXPECT_EQ(played(name).state().restarts, 0u) << name;
  }

  static void expect_unbroken(const std::string& name, base::Duration interval) {
    expect_unbroken(name, interval, interval);
  }

  static bool is_loud(const std::string& name) {
    return std::ranges::any_of(played(name).audio_frames(),
                               [](const auto& audio) { return audio.left > 0.01F; });
  }

  static media::PictureFormat format(const std::string& name) {
    return played(name).state().format;
  }

  static std::unique_ptr<TemporaryDirectory> directory_;
  static std::map<std::string, std::unique_ptr<IngestRecorder>> recorders_;
};

std::unique_ptr<TemporaryDirectory> IngestFilesTest::directory_;
std::map<std::string, std::unique_ptr<IngestRecorder>> IngestFilesTest::recorders_;

TEST_F(IngestFilesTest, LoopsWithoutAGap) { expect_unbroken("h264_aac.mp4", 40ms); }

TEST_F(IngestFilesTest, SaysWhatItReceives) {
  const auto state = played("h264_aac.mp4").state();
  EXPECT_TRUE(state.video_codec.starts_with("H.264")) << state.video_codec;
  EXPECT_NE(state.audio_codec.find("AAC"), std::string::npos) << state.audio_codec;
  const auto size = std::filesystem::file_size(file("h264_aac.mp4").substr(5));
  EXPECT_GT(state.bytes, size);  // it has begun again
  EXPECT_LT(state.bytes, 10 * size);
  EXPECT_TRUE(played("interlaced.ts").state().video_codec.starts_with("MPEG-2"));
  EXPECT_EQ(played("audio_only.mp4").state().video_codec, "");
}

TEST_F(IngestFilesTest, PlaysNoFasterThanRealTime) {
  for (const auto& picture : played("h264_aac.mp4").pictures()) {
    ASSERT_GE(picture.arrived, picture.captured);
  }
}

TEST_F(IngestFilesTest, CapturesAtTheScheduledTime) {
  const auto seen = played("h264_aac.mp4").pictures();
  ASSERT_FALSE(seen.empty());
  const auto offset = seen.front().captured - base::Time{seen.front().pts};
  for (std::size_t i = 0; i < undisturbed(seen); ++i) {
    ASSERT_NEAR(base::seconds(seen[i].captured - base::Time{seen[i].pts} - offset), 0, 1e-3);
  }
}

TEST_F(IngestFilesTest, AudioStaysInTimeOverLoops) {
  const auto seen = played("h264_aac.mp4").pictures();
  if (undisturbed(seen) < seen.size()) GTEST_SKIP() << "the machine paused";
  std::vector<media::Pts> flashes;
  for (bool white = false; const auto& picture : seen) {
    if (!white && picture.brightness > 128) flashes.push_back(picture.pts);
    white = picture.brightness > 128;
  }
  std::vector<media::Pts> beeps;
  for (bool loud = false; const auto& audio : played("h264_aac.mp4").audio_frames()) {
    if (!loud && audio.left > 0.1F) beeps.push_back(audio.pts);
    loud = audio.left > 0.1F;
  }
  ASSERT_GE(flashes.size(), 2u);
  // The end cuts off the flashes of beeps that came before them.
  std::erase_if(beeps, [&](media::Pts beep) { return beep > seen.back().pts; });
  // A busy machine may have no audio decoder yet at the first flash, and cuts off the last beep.
  ASSERT_GE(beeps.size(), std::max<std::size_t>(flashes.size() - 2, 1));
  for (const auto beep : beeps) {
    const auto off = std::ranges::min(flashes | std::views::transform([beep](auto flash) {
                                        return std::abs(base::seconds(beep - flash));
                                      }));
    EXPECT_LE(off, 0.045);  // a frame interval of each
  }
}

TEST_F(IngestFilesTest, PlaysTenBits422) {
  expect_unbroken("ten_bit.mkv", 40ms);
  EXPECT_EQ(format("ten_bit.mkv").width, 320);
}

TEST_F(IngestFilesTest, PlaysRgb) { expect_unbroken("rgb.mov", 40ms); }

TEST_F(IngestFilesTest, Deinterlaces) {
  expect_unbroken("interlaced.ts", 40ms);  // 25 pictures from 50 fields: 50 exceed the limit
  expect_unbroken("interlaced_60", 20ms);  // only a deinterlacer makes 50 pictures from 25
  EXPECT_EQ(format("interlaced.ts").height, 288);
  EXPECT_NEAR(1.0 * format("interlaced.ts").sar_num / format("interlaced.ts").sar_den, 16.0 / 11,
              0.05);
}

TEST_F(IngestFilesTest, CropsOddSizes) {
  expect_unbroken("odd.mkv", 40ms);
  EXPECT_EQ(format("odd.mkv").width, 160);
  EXPECT_EQ(format("odd.mkv").height, 120);
}

TEST_F(IngestFilesTest, TurnsPicturesUpright) {
  EXPECT_EQ(format("turned.mp4").width, 120);
  EXPECT_EQ(format("turned.mp4").height, 160);
  for (const auto& picture : played("turned.mp4").pictures()) {  // as ffmpeg shows them
    EXPECT_GT(picture.bottom, 200);
    EXPECT_LT(picture.brightness, 50);
  }
}

TEST_F(IngestFilesTest, KeepsAVariableRate) { expect_unbroken("variable.mkv", 40ms, 120ms); }

TEST_F(IngestFilesTest, LimitsSizeAndFrameRate) {
  expect_unbroken("big.mp4", 33ms, 34ms);
  EXPECT_EQ(format("big.mp4").width, 320);
  EXPECT_EQ(format("big.mp4").height, 180);
  EXPECT_GT(played("big.mp4").state().frames_dropped, 20u);
}

TEST_F(IngestFilesTest, LimitsUprightPicturesToTheSameArea) {
  expect_unbroken("upright.mp4", 40ms);
  EXPECT_EQ(format("upright.mp4").width, 180);
  EXPECT_EQ(format("upright.mp4").height, 320);
}

TEST_F(IngestFilesTest, KeepsTheColoursOfHdWhenScaled) {
  constexpr int kBt709 = 1;
  constexpr int kBt601 = 6;
  EXPECT_EQ(format("wide.mp4").height, 360);
  EXPECT_EQ(format("wide.mp4").colour.matrix, kBt709);
  EXPECT_EQ(format("small.ts").colour.matrix, kBt601);
}

TEST_F(IngestFilesTest, MixesSurroundDown) {
  expect_unbroken("surround.mkv", 40ms);
  const auto heard = played("surround.mkv").audio_frames();
  ASSERT_FALSE(heard.empty());
  EXPECT_GT(heard[heard.size() / 2].left, 0.01F);
  EXPECT_GT(heard[heard.size() / 2].right, 0.01F);
}

TEST_F(IngestFilesTest, ChannelsWithoutPositionsAreHeard) {
  expect_unbroken("unpositioned.mov", 40ms);
  EXPECT_TRUE(is_loud("unpositioned.mov"));
}

TEST_F(IngestFilesTest, MonoComesOutOnBothSides) {
  const auto heard = played("interlaced.ts").audio_frames();
  ASSERT_FALSE(heard.empty());
  EXPECT_GT(heard[heard.size() / 2].left, 0.01F);
  EXPECT_FLOAT_EQ(heard[heard.size() / 2].left, heard[heard.size() / 2].right);
}

TEST_F(IngestFilesTest, DoesNotWaitForLateAudio) {
  expect_unbroken("late_audio.mkv", 40ms);
  const auto seen = played("late_audio.mkv").pictures();
  const auto heard = played("late_audio.mkv").audio_frames();
  ASSERT_FALSE(seen.empty());
  ASSERT_FALSE(heard.empty());
  if (undisturbed(seen) < seen.size()) GTEST_SKIP() << "the machine paused";
  // A busy machine may have its audio decoder only in a later round.
  const double late = base::seconds(heard.front().pts - seen.front().pts);
  EXPECT_NEAR(std::remainder(late - 0.8, 1.6), 0, 0.05) << late;
}

TEST_F(IngestFilesTest, PlaysWithoutAudio) {
  EXPECT_TRUE(played("ten_bit.mkv").audio_frames().empty());
  EXPECT_FALSE(played("ten_bit.mkv").state().has_audio);
}

TEST_F(IngestFilesTest, PlaysTheFirstOfSeveralTracks) {
  expect_unbroken("two_tracks.mkv", 40ms);
  EXPECT_EQ(format("two_tracks.mkv").width, 160);
}

TEST_F(IngestFilesTest, PlaysTheFirstProgrammeWithPictures) {
  expect_unbroken("radio_first.ts", 40ms);
  EXPECT_TRUE(is_loud("radio_first.ts"));
}

TEST_F(IngestFilesTest, PlaysTheProgrammeThatIsWanted) {
  EXPECT_TRUE(is_loud("radio"));
  for (const auto& picture : played("radio").pictures()) EXPECT_LT(picture.brightness, 20);
}

TEST_F(IngestFilesTest, PlaysNoAudioDescription) { EXPECT_TRUE(is_loud("described.ts")); }

TEST_F(IngestFilesTest, PlaysTheAudioThatIsWanted) {
  EXPECT_FALSE(is_loud("languages.mkv")) << "the first track is silent";
  EXPECT_TRUE(is_loud("french"));
  EXPECT_TRUE(is_loud("second"));
  EXPECT_TRUE(played("none").audio_frames().empty());
}

TEST_F(IngestFilesTest, FollowsAChangeOfResolution) {
  int small = 0;
  int large = 0;
  for (const auto& picture : played("resized.ts").pictures()) {
    small += picture.format.width == 160;
    large += picture.format.width == 320;
  }
  EXPECT_GT(small, 20);
  EXPECT_GT(large, 20);
}

TEST_F(IngestFilesTest, PlaysTimesOfAnySize) {
  for (const auto* const name : {"years.mkv", "wrap.ts"}) {
    expect_unbroken(name, 40ms);
    EXPECT_TRUE(is_loud(name)) << name;
  }
}

TEST_F(IngestFilesTest, PlaysAudioWithBlackPictures) {
  EXPECT_TRUE(is_loud("audio_only.mp4"));
  for (const auto& picture : played("audio_only.mp4").pictures()) EXPECT_LT(picture.brightness, 20);
  expect_unbroken("audio_only.mp4", 40ms, 80ms);
}

TEST_F(IngestFilesTest, PlaysAudioBehindTags) { EXPECT_TRUE(is_loud("tagged.mp3")); }

TEST_F(IngestFilesTest, SaysThatAFileIsMissing) {
  EXPECT_THAT(played("missing").state().last_error, testing::HasSubstr("no file '"));
}

}  // namespace
}  // namespace transcoder::test
