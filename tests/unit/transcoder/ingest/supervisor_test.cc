#include "transcoder/ingest/supervisor.h"

#include <gtest/gtest.h>

#include <atomic>
#include <system_error>
#include <vector>

namespace transcoder {
namespace {

using namespace std::chrono_literals;

const std::uint8_t kPixels[6] = {};

/// The test's access to the current source.
struct Remote {
  std::shared_ptr<Source::Listener> listener() {
    std::lock_guard lock{mutex};
    return current;
  }

  std::mutex mutex;
  std::shared_ptr<Source::Listener> current;  // GUARDED_BY(mutex)
  std::atomic<bool> refuses = false;          ///< makes the next start fail
  std::atomic<bool> scrambled = false;        ///< is reported
  std::atomic<bool> has_data = false;         ///< data are reported
  std::atomic<std::uint64_t> bytes = 0;       ///< are reported, with a codec
  std::atomic<int> started = 0;
  std::atomic<int> stopped = 0;
};

class FakeSource final : public Source {
 public:
  explicit FakeSource(Remote& remote) : remote_{remote} {}

  void start(std::shared_ptr<Listener> listener) override {
    if (remote_.refuses.exchange(false)) {
      throw std::system_error{std::make_error_code(std::errc::resource_unavailable_try_again)};
    }
    std::lock_guard lock{remote_.mutex};
    remote_.current = std::move(listener);
    ++remote_.started;
  }
  void stop() override {
    std::lock_guard lock{remote_.mutex};
    remote_.current = nullptr;
    ++remote_.stopped;
  }
  SourceReport report() const override {
    SourceReport result;
    if (remote_.has_data) result.data = base::Clock::now();
    if (remote_.scrambled) result.troubles[SourceTrouble::kScrambled];
    result.bytes = remote_.bytes;
    if (result.bytes > 0) result.video_codec = "H.264";
    return result;
  }

 private:
  Remote& remote_;
};

/// Runs in real time: waits for the supervisor's thread, and no longer than until it has acted. The
/// source may be silent for an hour, except in the tests of silence.
class SupervisorTest : public testing::Test {
 protected:
  explicit SupervisorTest(base::Duration silence = 1h) : silence_{silence} {}

  SourceSettings settings() const {
    SourceSettings result;
    result.silence_timeout = silence_;
    result.backoff_min = result.backoff_max = 20ms;
    return result;
  }

  static bool eventually(const std::function<bool()>& condition) {
    for (int i = 0; i < 20'000; ++i, std::this_thread::sleep_for(2ms)) {
      if (condition()) return true;
    }
    return false;
  }

  bool connect(int attempt) {
    return eventually([&] { return remote_.started == attempt && remote_.listener(); });
  }

  /// Starts a source that waits for its sender, has data, and has a back-off of an hour.
  std::unique_ptr<Supervisor> start_listener() {
    auto listening = settings();
    listening.uri = "srt://:9000";
    listening.backoff_min = listening.backoff_max = 1h;
    remote_.has_data = true;
    auto listener = std::make_unique<Supervisor>(
        "live", "fake:", listening, [this] { return std::make_unique<FakeSource>(remote_); },
        output_);
    listener->start();
    return listener;
  }

  void picture(base::Duration pts) { picture(remote_.listener(), pts); }

  static void picture(const std::shared_ptr<Source::Listener>& listener, base::Duration pts) {
    listener->on_picture({.format = {.width = 2, .height = 2},
                          .plane = {kPixels, kPixels + 4, kPixels + 5},
                          .stride = {2, 1, 1},
                          .memory = nullptr,
                          .number = 0,
                          .pts = pts,
                          .captured = base::Clock::now()});
  }

  bool is(Ingest::Status status) {
    return eventually([&] { return supervisor_.state().status == status; });
  }

  const base::Duration silence_;
  Remote remote_;
  MediaClock media_clock_;
  std::shared_ptr<IngestOutput> output_ = std::make_shared<IngestOutput>(
      "live", VideoSettings{}, StreamClock{media_clock_, 2s, base::Clock::now()},
      Ingest::Sink{.frame = [](media::FramePtr) {}, .samples = [](media::Samples) {}});
  Supervisor supervisor_{"live", "fake:", settings(),
                         [this] { return std::make_unique<FakeSource>(remote_); }, output_};
};

TEST_F(SupervisorTest, PlaysFromTheFirstPictureOn) {
  supervisor_.start();
  ASSERT_TRUE(connect(1));
  EXPECT_EQ(supervisor_.state().status, Ingest::Status::kConnecting);
  picture(0ms);
  EXPECT_TRUE(is(Ingest::Status::kPlaying));
}

TEST_F(SupervisorTest, ReconnectsAfterTheEnd) {
  supervisor_.start();
  ASSERT_TRUE(connect(1));
  remote_.listener()->on_end({"the cable is out"});
  ASSERT_TRUE(connect(2));
  EXPECT_EQ(supervisor_.state().restarts, 1u);
  EXPECT_EQ(supervisor_.state().last_error, "the cable is out");
}

TEST_F(SupervisorTest, ReasonsHideSecrets) {
  supervisor_.start();
  ASSERT_TRUE(connect(1));
  remote_.listener()->on_end({"launch text: could not set rtsp://user:secret@host"});
  ASSERT_TRUE(connect(2));
  EXPECT_EQ(supervisor_.state().last_error, "launch text: could not set rtsp://***@host");
}

TEST_F(SupervisorTest, ReconnectsWhenNoThreadCouldBeCreated) {
  remote_.refuses = true;
  supervisor_.start();
  ASSERT_TRUE(connect(1));
  EXPECT_EQ(supervisor_.state().restarts, 1u);
  EXPECT_TRUE(supervisor_.state().last_error.starts_with("cannot start the source: "));
}

class SupervisorSilenceTest : public SupervisorTest {
 protected:
  static constexpr base::Duration kSilence = 100ms;

  SupervisorSilenceTest() : SupervisorTest{kSilence} {}
};

TEST_F(SupervisorSilenceTest, ReconnectsAfterSilence) {
  supervisor_.start();
  ASSERT_TRUE(connect(1));
  picture(0ms);
  ASSERT_TRUE(connect(2));
  EXPECT_EQ(remote_.stopped, 1);
  EXPECT_EQ(supervisor_.state().last_error, "no picture for 0.1 s");
}

/// All of them have the same time: each second the clock seems to jump, and one is delivered.
TEST_F(SupervisorSilenceTest, PicturesThatAreNotDeliveredAreNoSignOfLife) {
  supervisor_.start();
  ASSERT_TRUE(connect(1));
  EXPECT_TRUE(eventually([&] {
    if (const auto listener = remote_.listener()) picture(listener, 0ms);
    return remote_.started == 2;
  }));
}

TEST_F(SupervisorSilenceTest, WaitsLongerForTheFirstPicture) {
  supervisor_.start();
  ASSERT_TRUE(connect(1));
  std::this_thread::sleep_for(4 * kSilence);
  EXPECT_EQ(remote_.started, 1);
}

TEST_F(SupervisorSilenceTest, AnAnnouncedGapIsNotSilence) {
  supervisor_.start();
  ASSERT_TRUE(connect(1));
  remote_.listener()->on_gap(base::Clock::now() + 1h);
  picture(0ms);
  ASSERT_TRUE(is(Ingest::Status::kPlaying));
  std::this_thread::sleep_for(4 * kSilence);
  EXPECT_EQ(remote_.started, 1);
}

TEST_F(SupervisorTest, RepeatsTheLastPictureWhileTheSourceIsDown) {
  supervisor_.start();
  ASSERT_TRUE(connect(1));
  picture(0ms);
  remote_.listener()->on_end({"gone"});
  ASSERT_TRUE(connect(2));
  EXPECT_TRUE(eventually([&] { return supervisor_.state().frames_repeated >= 2; }));
}

TEST_F(SupervisorTest, PlaysAgainAfterAReconnect) {
  supervisor_.start();
  ASSERT_TRUE(connect(1));
  picture(10s);
  remote_.listener()->on_end({"gone"});
  ASSERT_TRUE(connect(2));
  picture(0s);
  EXPECT_TRUE(is(Ingest::Status::kPlaying));
}

TEST_F(SupervisorTest, IsAwayFromTheEndToTheNextPictureWhateverItTries) {
  const auto begin = base::Clock::now();
  EXPECT_LE(supervisor_.state().away_since, begin) << "before its first picture, too";
  supervisor_.start();
  ASSERT_TRUE(connect(1));
  picture(0s);
  ASSERT_TRUE(is(Ingest::Status::kPlaying));
  EXPECT_EQ(supervisor_.state().away_since, std::nullopt);
  remote_.listener()->on_end({"gone"});
  ASSERT_TRUE(connect(2));
  const auto since = supervisor_.state().away_since;
  EXPECT_GT(since, begin);
  remote_.listener()->on_end({"gone again"});
  ASSERT_TRUE(connect(3));
  EXPECT_EQ(supervisor_.state().away_since, since);
  picture(0s);
  ASSERT_TRUE(is(Ingest::Status::kPlaying));
  EXPECT_EQ(supervisor_.state().away_since, std::nullopt);
}

TEST_F(SupervisorTest, IsAwaySinceThePictureWasLate) {
  supervisor_.start();
  ASSERT_TRUE(connect(1));
  picture(0s);
  ASSERT_TRUE(is(Ingest::Status::kStalled));
  const auto stalled = supervisor_.state();
  EXPECT_EQ(stalled.away_since, *stalled.last_picture + kFreezeTime);
  remote_.listener()->on_end({"gone"});
  ASSERT_TRUE(connect(2));
  EXPECT_EQ(supervisor_.state().away_since, stalled.away_since) << "it has been away all the time";
}

TEST_F(SupervisorTest, AListenerListensAgainWithoutBackoff) {
  const auto listener = start_listener();
  for (int i = 1; i <= 3; ++i) {
    ASSERT_TRUE(connect(i));
    remote_.listener()->on_end({"gone"});
  }
  EXPECT_TRUE(connect(4));
}

TEST_F(SupervisorTest, AListenerWhoseProcessCrashesWaitsAsOthersDo) {
  const auto listener = start_listener();
  ASSERT_TRUE(connect(1));
  remote_.listener()->on_end({"gone", SourceEnd::Cause::kCrashed});
  ASSERT_TRUE(
      eventually([&] { return listener->state().ends.contains(SourceEnd::Cause::kCrashed); }));
  EXPECT_EQ(listener->state().status, Ingest::Status::kWaiting);
  std::this_thread::sleep_for(1500ms);  // longer than a listener waits otherwise
  EXPECT_EQ(remote_.started, 1);
}

TEST_F(SupervisorTest, AListenerThatCannotListenTriesAgainOncePerSecond) {
  auto listening = settings();
  listening.uri = "udp://:9000";
  Supervisor listener{"live", "fake:", listening,
                      [this] { return std::make_unique<FakeSource>(remote_); }, output_};
  listener.start();
  ASSERT_TRUE(connect(1));
  const auto end = base::Clock::now();
  remote_.listener()->on_end({"Address already in use"});
  ASSERT_TRUE(connect(2));
  EXPECT_GE(base::Clock::now() - end, 1s);
}

TEST_F(SupervisorTest, IgnoresARetiredSource) {
  supervisor_.start();
  ASSERT_TRUE(connect(1));
  const auto old = remote_.listener();
  old->on_end({"gone"});
  ASSERT_TRUE(connect(2));
  old->on_end({"again"});
  old->on_picture({});
  EXPECT_EQ(supervisor_.state().last_error, "gone");
  EXPECT_EQ(supervisor_.state().frames, 0u);
}

TEST_F(SupervisorTest, CountsUnreadablePictures) {
  supervisor_.start();
  ASSERT_TRUE(connect(1));
  remote_.listener()->on_unreadable(2);
  EXPECT_EQ(supervisor_.state().unreadable, 2u);
}

TEST_F(SupervisorTest, SaysWhatTheTroubleIsUntilTheSourceIsAway) {
  remote_.scrambled = true;
  supervisor_.start();
  ASSERT_TRUE(connect(1));
  EXPECT_TRUE(
      eventually([&] { return supervisor_.state().troubles.contains(SourceTrouble::kScrambled); }));
  EXPECT_TRUE(supervisor_.state().last_error.starts_with("the source is encrypted"));
  remote_.scrambled = false;
  remote_.listener()->on_end({"gone"});
  EXPECT_TRUE(eventually([&] { return supervisor_.state().troubles.empty(); }));
}

TEST_F(SupervisorTest, SaysThatNothingComes) {
  const auto says = [&](bool wanted) {
    return eventually(
        [&] { return supervisor_.state().troubles.contains(SourceTrouble::kNoData) == wanted; });
  };
  supervisor_.start();
  ASSERT_TRUE(connect(1));
  EXPECT_TRUE(says(true));
  remote_.has_data = true;
  EXPECT_TRUE(says(false));
}

TEST_F(SupervisorTest, AddsUpWhatAllConnectionsReceive) {
  const auto received = [&](std::uint64_t bytes) {
    return eventually([&] { return supervisor_.state().bytes == bytes; });
  };
  remote_.bytes = 1000;
  supervisor_.start();
  ASSERT_TRUE(connect(1));
  EXPECT_TRUE(received(1000));
  remote_.bytes = 1500;
  EXPECT_TRUE(received(1500));
  remote_.bytes = 200;  // the source began again
  EXPECT_TRUE(received(1700));
  EXPECT_EQ(supervisor_.state().video_codec, "H.264");
  remote_.bytes = 0;
  remote_.listener()->on_end({"gone"});
  ASSERT_TRUE(connect(2));
  EXPECT_EQ(supervisor_.state().video_codec, "");
  remote_.bytes = 300;
  EXPECT_TRUE(received(2000));
}

TEST_F(SupervisorTest, SaysThatAudioIsTooFarOff) {
  supervisor_.start();
  ASSERT_TRUE(connect(1));
  const auto begin = base::Clock::now();
  const auto troubles = [&](base::Duration off) {
    const auto now = base::Clock::now();
    picture(now - begin);
    remote_.listener()->on_audio({.pts = now - begin + off, .values = {0, 0}}, now);
    return supervisor_.state().troubles;
  };
  EXPECT_TRUE(eventually([&] { return troubles(10s).contains(SourceTrouble::kAudioOff); }));
  EXPECT_TRUE(eventually([&] { return troubles(0s).empty(); }));
}

TEST_F(SupervisorTest, StopsTheSource) {
  supervisor_.start();
  ASSERT_TRUE(connect(1));
  supervisor_.stop();
  EXPECT_EQ(remote_.stopped, 1);
}

}  // namespace
}  // namespace transcoder
