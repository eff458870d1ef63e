#include "app/http/stream_changes.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>

namespace app {
namespace {

using namespace std::chrono_literals;
using transcoder::Ingest;

class StreamChangesTest : public testing::Test {
 protected:
  StreamChangesTest() { changed(); }

  Ingest::State& source() { return streams_[0].state; }
  /// Whether there was a change since the last call, which was long ago.
  bool changed() {
    const auto before = changes_.count().load();
    changes_.update(now_ += 1h);
    return changes_.count() != before;
  }

  base::Time now_{};
  std::vector<LiveStream::Source> streams_{{"live", {}}, {"other", {}}};
  StreamChanges changes_{[this] { return streams_; }};
};

TEST_F(StreamChangesTest, CountsWhenASourceStopsAndReturns) {
  source().status = Ingest::Status::kStalled;
  source().away_since = now_;
  EXPECT_TRUE(changed());
  source().status = Ingest::Status::kWaiting;
  EXPECT_TRUE(changed());
  source().status = Ingest::Status::kPlaying;
  source().away_since.reset();
  EXPECT_TRUE(changed());
}

TEST_F(StreamChangesTest, CountsNoRetriesAndNoFrames) {
  source().away_since = now_;
  source().status = Ingest::Status::kWaiting;
  changed();
  source().status = Ingest::Status::kConnecting;
  ++source().restarts;
  ++source().frames_repeated;
  source().last_error = "refused";
  EXPECT_FALSE(changed());
}

TEST_F(StreamChangesTest, CountsTroubles) {
  source().troubles[transcoder::SourceTrouble::kAudioOnly];
  EXPECT_TRUE(changed());
  source().troubles.clear();
  EXPECT_TRUE(changed());
}

TEST_F(StreamChangesTest, CountsStreamsThatComeGoOrMove) {
  streams_.push_back({"third", {}});
  EXPECT_TRUE(changed());
  std::ranges::reverse(streams_);
  EXPECT_TRUE(changed());
  streams_.pop_back();
  EXPECT_TRUE(changed());
}

TEST_F(StreamChangesTest, CountsFiveTimesPerSecondAtMost) {
  const auto begin = changes_.count().load();
  for (auto time = now_ + 1h; time < now_ + 1h + 10s; time += 10ms) {
    source().away_since = time;
    changes_.update(time);
  }
  EXPECT_EQ(changes_.count() - begin, 50u);
}

TEST_F(StreamChangesTest, LooksByItself) {
  const auto timer = changes_.loop_source();
  source().away_since = now_ + 1h;
  const auto before = changes_.count().load();
  pollfd poll{.fd = timer->fd(), .events = POLLIN, .revents = 0};
  ASSERT_EQ(::poll(&poll, 1, -1), 1);
  timer->on_readable(now_ + 2h);
  EXPECT_EQ(changes_.count(), before + 1);
}

}  // namespace
}  // namespace app
