// Viewers of a real server, in each container, change between real encode groups hundreds of times
// while rates and operating points change as well.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "http_client.h"
#include "media/mp4.h"
#include "netlab/ts_parser.h"
#include "server/channel_switch.h"
#include "switching_server.h"
#include "ts_inspect.h"

namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;

constexpr std::size_t kGroups = SwitchingServer::kGroups;
constexpr std::size_t kViewers = 32;
constexpr base::Duration kPatience = 90s;     // a wander takes about 10 s
constexpr std::uint64_t kSourceFrames = 200;  // at least
constexpr std::size_t kMinFrames = 25;        // of those, half are skipped at times
/// Unsent bytes of a viewer. Fast viewers lose no frames even when the machine does not let them
/// read for seconds; slow ones do all the time.
constexpr base::ByteCount kMaxQueuedFast{4'000'000};
constexpr base::ByteCount kMaxQueuedSlow{20'000};
/// A frame that takes longer counts as not encoded: a change of group may not have waited for it.
constexpr base::Duration kMaxEncodeTime = server::ChannelSwitch::kMaxOldChannelWait * 2 / 3;
constexpr std::array<double, 3> kScales{1, 2. / 3, 1. / 2};

transcoder::StreamSettings settings() {
  transcoder::StreamSettings settings;
  settings.source.uri = "test:?size=320x180&fps=25";
  settings.encoder.preset = "ultrafast";
  settings.encoder.forced_keyframe_interval = 300ms;  // so that more changes fit into the time
  return settings;
}

/// The numbers of the frames that one viewer received.
struct Seen {
  std::vector<std::uint64_t> frames;
  std::set<std::uint64_t> keyframes;  ///< those of `frames` that are keyframes
};

/// The frames that the groups encoded.
class Published {
 public:
  void add(const media::Packet& packet) {
    if (packet.kind != media::Packet::Kind::kVideo) return;
    std::lock_guard lock{mutex_};
    numbers_[std::chrono::round<std::chrono::milliseconds>(packet.pts)] = packet.number;
    auto& frame = frames_[packet.number];
    frame.groups += base::Clock::now() - packet.captured <= kMaxEncodeTime;
    if (!packet.keyframe) {
      frame.needs = std::min(frame.needs, packet.recovers_from.value_or(packet.number));
    }
  }

  /// The number of the frame at `pts`, which a container may have rounded. Throws if there is none.
  std::uint64_t number(std::chrono::milliseconds pts) {
    std::lock_guard lock{mutex_};
    const auto found = numbers_.lower_bound(pts - 2ms);
    if (found == numbers_.end() || found->first > pts + 2ms) {
      throw std::runtime_error{"no group encoded a frame at " + std::to_string(pts.count()) +
                               " ms"};
    }
    return found->second;
  }

  /// The first frame after each gap in `seen`; frames that some groups skipped, or encoded too
  /// late, make no gap.
  std::vector<std::uint64_t> gaps(const Seen& seen) {
    return find_gaps(seen, [](const auto&, auto) { return true; });
  }
  /// The same, but only frames that reference the gap. A frame does not show which group encoded
  /// it, so it counts only if the groups' frames of that number all reference the gap.
  std::vector<std::uint64_t> broken_gaps(const Seen& seen) {
    return find_gaps(seen, [&](const auto& frame, std::uint64_t first_missing) {
      return !seen.keyframes.contains(frame.first) && frame.second.needs > first_missing;
    });
  }

 private:
  struct Frame {
    /// The frame references only frames before this number, the lowest over all groups.
    std::uint64_t needs = ~0ULL;
    std::size_t groups = 0;  ///< groups that encoded it in time
  };

  template <typename Counts>
  std::vector<std::uint64_t> find_gaps(const Seen& seen, Counts counts) {
    std::lock_guard lock{mutex_};
    std::vector<std::uint64_t> out;
    std::optional<std::uint64_t> first_missing;
    const auto& all = seen.frames;
    if (all.empty()) return out;
    for (auto it = frames_.find(all.front()); it != frames_.end() && it->first <= all.back();
         ++it) {
      const auto& [number, frame] = *it;
      if (std::ranges::binary_search(all, number)) {
        if (first_missing && counts(*it, *first_missing)) out.push_back(number);
        first_missing.reset();
      } else if (frame.groups == kGroups) {
        first_missing = first_missing.value_or(number);
      }
    }
    return out;
  }

  std::mutex mutex_;
  std::map<std::chrono::milliseconds, std::uint64_t> numbers_;  // GUARDED_BY(mutex_); by pts
  std::map<std::uint64_t, Frame> frames_;                       // GUARDED_BY(mutex_); by number
};

std::span<const std::uint8_t> as_bytes(const std::string& body) {
  return {reinterpret_cast<const std::uint8_t*>(body.data()), body.size()};
}

/// Fails on anything that a strict MPEG-TS receiver would reject.
void expect_clean_ts(const std::string& body) {
  netlab::TsParser parser{[](const netlab::Picture&) {}};
  parser.feed(as_bytes(body), {});
  const auto& counters = parser.counters();
  EXPECT_EQ(counters.sync_losses, 0U);
  EXPECT_EQ(counters.continuity_errors, 0U);
  EXPECT_EQ(counters.section_errors, 0U);
  EXPECT_EQ(counters.pes_errors, 0U);
  EXPECT_EQ(counters.audio_errors, 0U);
  EXPECT_EQ(counters.pcr_backwards, 0U);
  // After a pause of the machine, audio from before it follows frames from after it: 47 per second.
  EXPECT_LE(counters.pts_before_pcr, 100U);
}

/// A container, and its timestamps as libavformat reports them.
struct Format {
  const char* suffix;
  const char* demuxer;
  double per_second;
  base::Duration offset;           ///< of frames and audio frames
  double audio_frames_per_second;  ///< ticks per second of audio timestamps
};
constexpr std::array<Format, 3> kFormats{{
    {".ts", "mpegts", 90'000, 800ms, 90'000},
    {".flv", "flv", 1'000, 0ms, 1'000},
    {".mp4", "mp4", 90'000, 0ms, 48'000},
}};

/// Audio frames have 1024 samples at 48 kHz; containers round by a tick.
void expect_continuous(const std::vector<std::int64_t>& audio_frames, const Format& format) {
  const double interval = 1024 * format.audio_frames_per_second / 48'000;
  for (std::size_t i = 1; i < audio_frames.size(); ++i) {
    ASSERT_NEAR(static_cast<double>(audio_frames[i] - audio_frames[i - 1]), interval, 1)
        << "audio " << i;
  }
}

/// Numbers from the video fragments, because a frame that bridges a gap has a shifted time.
std::vector<std::uint64_t> mp4_numbers(const std::string& body) {
  constexpr std::size_t kSequence = 20, kTrack = 44;  // in moof
  const auto number = [&](std::size_t at) {
    std::uint64_t value = 0;
    for (const std::uint8_t byte : as_bytes(body).subspan(at, 4)) value = value << 8 | byte;
    return value;
  };
  std::vector<std::uint64_t> numbers;
  std::size_t size = 0;
  for (std::size_t at = 0; at + media::kMp4FragmentHeaderBytes < body.size(); at += size) {
    size = number(at);
    const bool fragment = body.compare(at + 4, 4, "moof") == 0;
    if (fragment && number(at + kTrack) == media::kMp4VideoTrack) {
      numbers.push_back(number(at + kSequence) - 1);
    }
  }
  return numbers;
}

class SwitchingTest : public ::testing::Test {
 protected:
  explicit SwitchingTest(base::ByteCount max_queued)
      : switching_{settings(), *server::Endpoint::parse("127.0.0.1:0"), max_queued,
                   [this](const media::Packet& packet) { published_.add(packet); }} {
    const char* given = std::getenv("SYMCAST_TEST_SEED");
    const auto seed = given ? std::strtoul(given, nullptr, 10) : std::random_device{}();
    std::printf("SYMCAST_TEST_SEED=%lu\n", seed);
    random_.seed(seed);
  }

  ~SwitchingTest() override {
    server().stop();
    for (auto& reader : readers_) {
      if (reader.joinable()) reader.join();
    }
  }

  server::Server& server() { return switching_.server(); }
  static const Format& format(std::size_t viewer) { return kFormats[viewer % kFormats.size()]; }

  /// With `slow`, each viewer reads a little and then waits up to 300 ms.
  void watch(bool slow) {
    received_.resize(kViewers);
    for (std::size_t i = 0; i < kViewers; ++i) {
      readers_.emplace_back([this, i, slow, random = std::mt19937{random_()}]() mutable {
        auto& bytes = received_[i];
        HttpClient client{server().listening().front(), slow ? 4096 : 0};
        client.send(std::string{"GET /live"} + format(i).suffix + " HTTP/1.0\r\n\r\n");
        client.read_head();
        while (slow && !finishing_) {
          bytes += client.read_exactly(1 + random() % 40'000);
          std::this_thread::sleep_for(std::chrono::milliseconds{random() % 300});
        }
        pollfd readable{.fd = client.fd(), .events = POLLIN, .revents = 0};
        while (slow && ::poll(&readable, 1, 0) > 0) bytes += client.read_exactly(1000);
        ++caught_up_;
        bytes += client.read_to_end();
      });
    }
    while (server().state().joined < kViewers) std::this_thread::sleep_for(1ms);
  }

  /// Changes groups, rates and operating points until `enough`, and for kSourceFrames.
  void wander(const std::function<bool()>& enough) {
    auto& stream = switching_.stream();
    for (const auto end = base::Clock::now() + kPatience; base::Clock::now() < end;) {
      if (stream.state().source.frames >= kSourceFrames && enough()) return;
      std::this_thread::sleep_for(std::chrono::milliseconds{5 + random_() % 20});
      const auto group = static_cast<std::uint32_t>(random_() % kGroups);
      switching_.move(1 + random_() % kViewers, group);
      if (random_() % 10 == 0) {
        stream.group(group)->retarget(
            base::BitRate::kbps(200. + static_cast<double>(random_() % 1500)));
      }
      if (random_() % 40 == 0) {
        stream.group(group)->set_point(
            {.scale = kScales[random_() % kScales.size()], .every = random_() % 4 == 0 ? 2U : 1U});
      }
    }
  }

  /// Ends the streams when slow viewers have read the rest of their queues.
  void finish(bool slow) {
    finishing_ = true;
    while (slow && caught_up_ < kViewers) std::this_thread::sleep_for(1ms);
    server().stop();
    for (auto& reader : readers_) reader.join();
    readers_.clear();
  }

  /// Decodes the data that a viewer received with a stock demuxer and decoder. Fails on any message
  /// and on repeated frames.
  Seen decode(std::size_t viewer) {
    const std::string& body = received_[viewer];
    const Format& format = this->format(viewer);
    SCOPED_TRACE("viewer " + std::to_string(viewer) + ", " + format.suffix);
    if (format.demuxer == std::string_view{"mpegts"}) expect_clean_ts(body);
    const auto decoded = transcoder::test::decode(as_bytes(body), format.demuxer);
    EXPECT_THAT(decoded.messages, IsEmpty());
    EXPECT_GE(decoded.video_pts.size(), kMinFrames);
    EXPECT_EQ(static_cast<std::size_t>(decoded.pictures), decoded.video_pts.size());
    expect_continuous(decoded.audio_pts, format);
    Seen seen;
    const auto number = [&](std::int64_t pts) {
      const auto time = base::from_seconds(static_cast<double>(pts) / format.per_second);
      return published_.number(std::chrono::round<std::chrono::milliseconds>(time - format.offset));
    };
    if (format.demuxer == std::string_view{"mp4"}) {
      seen.frames = mp4_numbers(body);
    } else {
      std::ranges::transform(decoded.video_pts, std::back_inserter(seen.frames), number);
    }
    EXPECT_EQ(seen.frames.size(), decoded.video_pts.size());
    for (const std::size_t i : decoded.keyframes) seen.keyframes.insert(seen.frames.at(i));
    EXPECT_TRUE(std::ranges::is_sorted(seen.frames, std::ranges::less_equal{}));
    return seen;
  }

  std::mt19937 random_;
  Published published_;
  SwitchingServer switching_;
  std::vector<std::string> received_;  ///< per viewer
  std::vector<std::thread> readers_;
  std::atomic<bool> finishing_{false};
  std::atomic<std::size_t> caught_up_{0};  ///< viewers
};

class FastViewersTest : public SwitchingTest {
 protected:
  FastViewersTest() : SwitchingTest{kMaxQueuedFast} {}
};

class SlowViewersTest : public SwitchingTest {
 protected:
  SlowViewersTest() : SwitchingTest{kMaxQueuedSlow} {}

  std::uint64_t recoveries() {
    std::uint64_t sum = 0;
    for (const auto& [group, encoded] : switching_.stream().state().groups)
      sum += encoded.recoveries;
    return sum;
  }
};

TEST_F(FastViewersTest, GetEveryFrameOnceAndAudioWithoutAGap) {
  watch(false);
  wander([this] { return server().state().switches >= 200; });
  finish(false);
  const auto state = server().state();
  std::printf("%lu changes of group\n", static_cast<unsigned long>(state.switches));
  EXPECT_GE(state.switches, 200U);
  EXPECT_EQ(state.frames_dropped, 0U);
  for (std::size_t viewer = 0; viewer < kViewers; ++viewer) {
    EXPECT_THAT(published_.gaps(decode(viewer)), IsEmpty()) << "viewer " << viewer;
  }
}

TEST_F(SlowViewersTest, RecoverFromDiscardedFrames) {
  watch(true);
  wander([this] {
    const auto state = server().state();
    return state.discards >= 100 && state.switches >= 100 && recoveries() >= 20;
  });
  finish(true);
  const auto state = server().state();
  std::printf("%lu changes of group, %lu discards, %lu recoveries\n",
              static_cast<unsigned long>(state.switches),
              static_cast<unsigned long>(state.discards), static_cast<unsigned long>(recoveries()));
  EXPECT_GE(state.discards, 100U);
  EXPECT_GE(state.switches, 100U);
  EXPECT_GE(recoveries(), 20U);
  EXPECT_EQ(state.gops_dropped, 0U);
  EXPECT_GT(state.padding_bytes, 0U);
  for (std::size_t viewer = 0; viewer < kViewers; ++viewer) {
    EXPECT_THAT(published_.broken_gaps(decode(viewer)), IsEmpty()) << "viewer " << viewer;
  }
}

}  // namespace
