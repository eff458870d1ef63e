// Viewers of a real server who change between real encode groups hundreds of times, while rates and
// operating points change as well:
//
//   test source ─► Stream: 4 groups ─► Server ─► loopback ─► 32 readers
//                    ▲ retarget, set_point, mend    ▲ move_viewer, discard, pad
//
// Who moves and relieves them in the product (app::Ladder, app::ViewerControl) makes these calls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "http_client.h"
#include "netlab/ts_parser.h"
#include "server/server.h"
#include "tcpinfo/socket_control.h"
#include "transcoder/stream.h"
#include "ts_inspect.h"

namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;

constexpr std::size_t kGroups = 4;
constexpr std::size_t kViewers = 32;
constexpr base::Duration kTime = 15s;
constexpr std::size_t kLeastPictures = 50;  // of the 375, and half of those are left out at times
constexpr base::Duration kNotice = 100ms;   // as app::Ladder has it
constexpr std::array<double, 3> kScales{1, 2. / 3, 1. / 2};

transcoder::StreamSettings settings() {
  transcoder::StreamSettings settings;
  settings.source.uri = "test:?size=320x180&fps=25";
  settings.encoder.preset = "ultrafast";
  settings.encoder.forced_keyframe_interval = 300ms;  // so that more changes fit into the time
  return settings;
}

/// Keeps what waits for its viewer short.
class Observer : public server::ViewerObserver {
 public:
  static constexpr base::ByteCount kMost{20'000};

  Observer(transcoder::Stream& stream, std::uint64_t seed) : stream_{stream}, random_{seed} {}

  void on_join(const server::ViewerTick& tick) override {
    tcpinfo::set_notsent_lowat(tick.fd, base::ByteCount{4096});
  }
  std::optional<base::Time> on_tick(const server::ViewerTick& tick) override {
    tick.sent.take_all([](const auto&) {});
    if (random_() % 20 == 0) {
      tick.acts.pad(base::ByteCount{static_cast<std::int64_t>(random_() % 16'000)});
    }
    if (tick.state.queued <= kMost) return {};
    const auto discarded = tick.acts.discard_unsent();
    if (discarded) stream_.mend(tick.state.channel.group, *discarded);
    return {};
  }
  std::optional<base::Time> on_due(const server::ViewerTick&) override { return {}; }
  server::Marks marks(base::ByteCount, base::Time) override { return {}; }
  void on_error_queue(const server::ViewerTick&) override {}
  void on_leave(const server::ViewerTick&, server::LeaveReason) override {}

 private:
  transcoder::Stream& stream_;
  std::mt19937_64 random_;
};

class Handler : public server::Handler {
 public:
  std::variant<server::Admission, server::Refusal> admit(const server::ViewerRequest& request,
                                                         base::Time) override {
    const auto group = static_cast<std::uint32_t>(request.id % kGroups);
    return server::Admission{{0, group}, std::make_unique<Observer>(*stream, request.id)};
  }

  transcoder::Stream* stream = nullptr;
};

/// What one viewer received.
struct Seen {
  std::vector<std::int64_t> pictures;  ///< their timestamps
  std::set<std::int64_t> keyframes;    ///< likewise
};

/// The pictures that the groups made, by their timestamps as MPEG-TS has them.
class Published {
 public:
  void add(const media::Packet& packet) {
    if (packet.kind != media::Packet::Kind::kVideo) return;
    using Ticks = std::chrono::duration<std::int64_t, std::ratio<1, 90'000>>;
    std::lock_guard lock{mutex_};
    auto& picture = pictures_[std::chrono::round<Ticks>(packet.pts + 800ms).count()];
    ++picture.groups;
    picture.number = packet.number;
    if (!packet.keyframe) {
      picture.needs = std::min(picture.needs, packet.mends.value_or(packet.number));
    }
  }

  /// For each gap in `seen`, over pictures that every group made: the timestamp of the picture
  /// behind it. Each of `seen` must be one that was made.
  std::vector<std::int64_t> gaps(const Seen& seen) {
    return find_gaps(seen, [](const auto&, auto) { return true; });
  }
  /// Only of those that refer into the gap. A picture that is no keyframe refers there if it does
  /// in each group: which of them it came from, nothing in it tells.
  std::vector<std::int64_t> broken_gaps(const Seen& seen) {
    return find_gaps(seen, [&](const auto& picture, std::uint64_t first_missing) {
      return !seen.keyframes.contains(picture.first) && picture.second.needs > first_missing;
    });
  }

 private:
  struct Picture {
    std::uint64_t number = 0;
    /// Pictures up to this one, in the group that needs least of those where it is no keyframe.
    std::uint64_t needs = ~0ULL;
    std::size_t groups = 0;
  };

  template <typename Counts>
  std::vector<std::int64_t> find_gaps(const Seen& seen, Counts counts) {
    std::lock_guard lock{mutex_};
    std::vector<std::int64_t> out;
    std::optional<std::uint64_t> first_missing;
    std::size_t found = 0;
    const auto& all = seen.pictures;
    if (all.empty()) return out;
    for (auto it = pictures_.find(all.front()); it != pictures_.end() && it->first <= all.back();
         ++it) {
      const auto& [pts, picture] = *it;
      if (std::ranges::binary_search(all, pts)) {
        ++found;
        if (first_missing && counts(*it, *first_missing)) out.push_back(pts);
        first_missing.reset();
      } else if (picture.groups == kGroups) {
        first_missing = first_missing.value_or(picture.number);
      }
    }
    EXPECT_EQ(found, all.size());
    return out;
  }

  std::mutex mutex_;
  std::map<std::int64_t, Picture> pictures_;  // GUARDED_BY(mutex_)
};

class SwitchingTest : public ::testing::Test {
 protected:
  SwitchingTest() {
    const char* given = std::getenv("SYMCAST_TEST_SEED");
    const auto seed = given ? std::strtoul(given, nullptr, 10) : std::random_device{}();
    std::printf("SYMCAST_TEST_SEED=%lu\n", seed);
    random_.seed(seed);
    handler_.stream = &stream_;
    server_.start(server::listen_on({*server::Endpoint::parse("127.0.0.1:0")}));
    stream_.start();
    for (std::uint32_t group = 0; group < kGroups; ++group) {
      stream_.open_group(group, base::BitRate::kbps(300. * (group + 1)));
    }
  }

  ~SwitchingTest() override {
    server_.stop();
    for (auto& reader : readers_) {
      if (reader.joinable()) reader.join();
    }
    stream_.stop();
  }

  /// `slow`: each reads a little and waits up to 300 ms.
  void watch(bool slow) {
    received_.resize(kViewers);
    for (auto& bytes : received_) {
      readers_.emplace_back([this, &bytes, slow, random = std::mt19937{random_()}]() mutable {
        HttpClient client{server_.listening().front(), slow ? 4096 : 0};
        client.send("GET /live.ts HTTP/1.0\r\n\r\n");
        client.read_head();
        while (slow && !finishing_) {
          bytes += client.read_exactly(1 + random() % 40'000);
          std::this_thread::sleep_for(std::chrono::milliseconds{random() % 300});
        }
        bytes += client.read_to_end();
      });
    }
    while (server_.state().joined < kViewers) std::this_thread::sleep_for(1ms);
  }

  void wander() {
    for (const auto end = base::Clock::now() + kTime; base::Clock::now() < end;) {
      std::this_thread::sleep_for(std::chrono::milliseconds{5 + random_() % 40});
      const auto group = static_cast<std::uint32_t>(random_() % kGroups);
      const server::ViewerId viewer = 1 + random_() % kViewers;
      server_.move_viewer(viewer, {0, group}, stream_.schedule_keyframe(group, kNotice));
      if (random_() % 10 == 0) {
        stream_.retarget(group, base::BitRate::kbps(200. + static_cast<double>(random_() % 1500)));
      }
      if (random_() % 40 == 0) {
        stream_.set_point(group, {.scale = kScales[random_() % kScales.size()],
                                  .every = random_() % 4 == 0 ? 2U : 1U});
      }
    }
  }

  void finish() {
    finishing_ = true;
    std::this_thread::sleep_for(400ms);  // the slow ones have read all that waits
    server_.stop();
    for (auto& reader : readers_) reader.join();
    readers_.clear();
  }

  std::mt19937 random_;
  Published published_;
  Handler handler_;
  server::Server server_{{}, handler_};
  transcoder::Stream stream_{settings(), [this](std::uint32_t group, media::PacketPtr packet) {
                               published_.add(*packet);
                               server_.publish({0, group}, packet);
                             }};
  std::vector<std::string> received_;
  std::vector<std::thread> readers_;
  std::atomic<bool> finishing_{false};
};

/// What a strict receiver objects to: nothing. Returns the keyframes' timestamps.
std::set<std::int64_t> expect_clean(std::span<const std::uint8_t> bytes) {
  std::set<std::int64_t> keyframes;
  netlab::TsParser parser{[&](const netlab::Picture& picture) {
    if (picture.keyframe) keyframes.insert(picture.pts);
  }};
  parser.feed(bytes, {});
  const auto& counters = parser.counters();
  EXPECT_EQ(counters.sync_losses, 0U);
  EXPECT_EQ(counters.continuity_errors, 0U);
  EXPECT_EQ(counters.section_errors, 0U);
  EXPECT_EQ(counters.pes_errors, 0U);
  EXPECT_EQ(counters.audio_errors, 0U);
  EXPECT_EQ(counters.pcr_backwards, 0U);
  EXPECT_EQ(counters.pts_before_pcr, 0U);
  return keyframes;
}

/// 1024 samples at 48 kHz are 1920 ticks; containers round by one.
void expect_continuous(const std::vector<std::int64_t>& sounds) {
  for (std::size_t i = 1; i < sounds.size(); ++i) {
    ASSERT_NEAR(static_cast<double>(sounds[i] - sounds[i - 1]), 1920, 1) << "sound " << i;
  }
}

std::span<const std::uint8_t> as_bytes(const std::string& body) {
  return {reinterpret_cast<const std::uint8_t*>(body.data()), body.size()};
}

/// What a stock demuxer and decoder make of it, without a complaint, and every picture once.
Seen decode(const std::string& body) {
  auto keyframes = expect_clean(as_bytes(body));
  auto decoded = transcoder::test::decode_ts(as_bytes(body));
  EXPECT_THAT(decoded.messages, IsEmpty());
  EXPECT_GE(decoded.video_pts.size(), kLeastPictures);
  EXPECT_EQ(static_cast<std::size_t>(decoded.pictures), decoded.video_pts.size());
  EXPECT_TRUE(std::ranges::is_sorted(decoded.video_pts, std::ranges::less_equal{}));
  expect_continuous(decoded.audio_pts);
  // The end of the stream may have cut the last picture, and of that one TsParser says nothing: not
  // that it is a keyframe either.
  if (!decoded.video_pts.empty()) decoded.video_pts.pop_back();
  return {std::move(decoded.video_pts), std::move(keyframes)};
}

TEST_F(SwitchingTest, EveryPictureOnceAndSoundWithoutAGap) {
  watch(false);
  wander();
  finish();
  const auto state = server_.state();
  std::printf("%lu changes of group\n", static_cast<unsigned long>(state.switches));
  EXPECT_GE(state.switches, 300U);
  EXPECT_EQ(state.frames_dropped, 0U);
  for (const auto& body : received_) {
    EXPECT_THAT(published_.gaps(decode(body)), IsEmpty());
  }
}

TEST_F(SwitchingTest, WhatIsDiscardedOnTheWayIsMended) {
  watch(true);
  wander();
  finish();
  const auto state = server_.state();
  std::uint64_t mends = 0;
  for (const auto& [group, encoded] : stream_.state().groups) mends += encoded.mends;
  std::printf("%lu changes of group, %lu discards, %lu mends\n",
              static_cast<unsigned long>(state.switches),
              static_cast<unsigned long>(state.discards), static_cast<unsigned long>(mends));
  EXPECT_GE(state.discards, 50U);
  EXPECT_GE(mends, 20U);
  EXPECT_EQ(state.gops_dropped, 0U);
  EXPECT_GT(state.padding_bytes, 0U);
  for (const auto& body : received_) {
    EXPECT_THAT(published_.broken_gaps(decode(body)), IsEmpty());
  }
}

}  // namespace
