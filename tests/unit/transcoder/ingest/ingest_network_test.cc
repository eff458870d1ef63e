#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <list>
#include <optional>

#include "ffmpeg_process.h"
#include "ingest_recorder.h"

namespace transcoder::test {
namespace {

using namespace std::chrono_literals;
using Arguments = FfmpegProcess::Arguments;

Arguments live_stream(const Arguments& output) {
  Arguments result{"-re",
                   "-f",
                   "lavfi",
                   "-i",
                   "testsrc2=size=320x240:rate=25",
                   "-f",
                   "lavfi",
                   "-i",
                   "sine=440:sample_rate=48000",
                   "-c:v",
                   "libx264",
                   "-preset",
                   "ultrafast",
                   "-tune",
                   "zerolatency",
                   "-pix_fmt",
                   "yuv420p",
                   "-g",
                   "12",
                   "-c:a",
                   "aac",
                   "-f",
                   "mpegts"};
  result.insert(result.end(), output.begin(), output.end());
  return result;
}

struct Transport {
  std::string name;
  std::string ours;  ///< our URI; PORT stands for a free port
  Arguments theirs;  ///< ffmpeg's output
};

const Transport kTransports[] = {
    {"Http", "http://127.0.0.1:PORT/x.ts", {"-listen", "1", "http://127.0.0.1:PORT/x.ts"}},
    {"Udp", "udp://127.0.0.1:PORT", {"udp://127.0.0.1:PORT?pkt_size=1316"}},
    {"SrtListener", "srt://127.0.0.1:PORT?mode=listener", {"srt://127.0.0.1:PORT?mode=caller"}},
    {"SrtCaller", "srt://127.0.0.1:PORT", {"srt://127.0.0.1:PORT?mode=listener"}},
};

std::string with_port(std::string text, std::uint16_t port) {
  if (const auto at = text.find("PORT"); at != text.npos) text.replace(at, 4, std::to_string(port));
  return text;
}

SourceSettings short_timeouts() {
  SourceSettings settings;
  settings.silence_timeout = 1s;
  settings.backoff_min = 100ms;
  settings.backoff_max = 300ms;
  return settings;
}

bool playing(const Ingest::State& state) { return state.status == Ingest::Status::kPlaying; }

/// The receiver and the sender of one connection.
class Link {
 public:
  explicit Link(const Transport& transport)
      : transport_{transport},
        port_{free_port()},
        recorder_{with_port(transport.ours, port_), short_timeouts()} {}

  const std::string& name() const { return transport_.name; }
  IngestRecorder& recorder() { return recorder_; }

  void send() {
    auto theirs = transport_.theirs;
    for (auto& argument : theirs) argument = with_port(argument, port_);
    sender_.emplace(live_stream(theirs));
  }
  void kill() { sender_.reset(); }

  bool plays(std::uint64_t more_frames) {
    const auto frames = recorder_.state().frames + more_frames;
    return recorder_.wait([&](const auto& s) {
      // A sender ends when the receiver, on a busy machine, takes it for silent.
      if (sender_->ended()) send();
      return playing(s) && s.frames > frames && s.has_audio;
    });
  }
  bool lost() {
    return recorder_.wait([](const auto& s) { return !playing(s) && s.frames_repeated > 2; });
  }

 private:
  const Transport transport_;
  const std::uint16_t port_;
  IngestRecorder recorder_;
  std::optional<FfmpegProcess> sender_;
};

TEST(IngestNetworkTest, ReconnectsAfterTheSenderWasKilled) {
  if (!have_ffmpeg()) GTEST_SKIP() << "ffmpeg, the sender, is not installed";
  std::list<Link> links(std::begin(kTransports), std::end(kTransports));
  for (auto& link : links) link.recorder().start();
  for (auto& link : links) link.send();
  for (auto& link : links) EXPECT_TRUE(link.plays(25)) << link.name();
  for (auto& link : links) link.kill();
  for (auto& link : links) EXPECT_TRUE(link.lost()) << link.name();
  for (auto& link : links) link.send();
  for (auto& link : links) EXPECT_TRUE(link.plays(12)) << link.name();

  for (auto& link : links) {
    SCOPED_TRACE(link.name());
    link.recorder().stop();
    const auto seen = link.recorder().pictures();
    for (std::size_t i = 1; i < seen.size(); ++i) {
      ASSERT_GT(seen[i].pts, seen[i - 1].pts) << i;
      ASSERT_EQ(seen[i].number, seen[i - 1].number + 1) << i;
    }
  }
}

TEST(IngestTest, PlaysLaunchTextWithPicturesAndAudio) {
  IngestRecorder recorder{
      "gst:videotestsrc is-live=true ! video/x-raw,width=320,height=240,framerate=25/1 ! queue"
      " audiotestsrc is-live=true ! queue"};
  recorder.start();
  EXPECT_TRUE(recorder.wait([](const auto& s) { return s.frames > 10 && s.has_audio; }));
  EXPECT_EQ(recorder.state().format.width, 320);
}

/// (URI, a part of the error that its source reports)
class IngestErrorTest : public testing::TestWithParam<std::pair<std::string, std::string>> {};

TEST_P(IngestErrorTest, NamesTheMistakeAndTheCure) {
  const auto& [uri, error] = GetParam();
  IngestRecorder recorder{uri};
  recorder.start();
  ASSERT_TRUE(recorder.wait([](const auto& s) { return !s.last_error.empty(); }));
  EXPECT_THAT(recorder.state().last_error, testing::HasSubstr(error));
}

const std::string kNoAddress = "no address is known for 'no-such-host.invalid' (";

INSTANTIATE_TEST_SUITE_P(
    Sources, IngestErrorTest,
    testing::Values(std::pair{"nosuchscheme://host/path", "cannot read 'nosuchscheme:' sources"},
                    std::pair{"rtsp://no-such-host.invalid/1", kNoAddress},
                    std::pair{"http://no-such-host.invalid/1.ts", kNoAddress},
                    std::pair{"srt://no-such-host.invalid:9000", kNoAddress},
                    std::pair{"udp://no-such-host.invalid:5000", kNoAddress},
                    std::pair{"udp://192.0.2.1:5000",
                              "check the address and port in the source's URI"},
                    std::pair{"rtmp://127.0.0.1/cam", "write rtmp://HOST/APPLICATION/STREAM"},
                    std::pair{"rtmp://0.0.0.0/live/obs", "publish by SRT"},
                    std::pair{"gst:videotestsrc ! nosuchelement", "no element \"nosuchelement\""}));

TEST(IngestTest, PlaysTheTestSource) {
  IngestRecorder recorder{"test:?size=320x180&fps=30"};
  recorder.start();
  ASSERT_TRUE(recorder.wait([](const auto& s) { return s.frames > 15 && s.has_audio; }));
  recorder.stop();
  const auto seen = recorder.pictures();
  for (std::size_t i = 1; i < undisturbed(seen); ++i) {
    EXPECT_NEAR(base::seconds(seen[i].pts - seen[i - 1].pts), 1 / 30.0, 1e-3);
  }
}

TEST(IngestTest, KeepsTheTestSourceWithinTheLimits) {
  IngestRecorder recorder{"test:?size=640x360", {}, {.max_width = 320, .max_height = 320}};
  recorder.start();
  ASSERT_TRUE(recorder.wait([](const auto& s) { return s.frames > 0; }));
  EXPECT_EQ(recorder.state().format.width, 320);
  EXPECT_EQ(recorder.state().format.height, 180);
}

}  // namespace
}  // namespace transcoder::test
