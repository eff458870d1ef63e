#include "app/viewer/viewer_control.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "fake_event_programs.h"
#include "loopback.h"
#include "server/viewer_socket.h"

namespace app {
namespace {

using namespace std::chrono_literals;
using base::BitRate;
using base::ByteCount;

/// Answers with the sample that the test has prepared.
class FakeSampler : public tcpinfo::TcpSampler {
 public:
  std::optional<tcpinfo::TcpSample> sample(int, base::Time now) override {
    ++samples;
    if (dead) return {};
    next.at = now;
    return next;
  }
  tcpinfo::TcpSample next{
      .ca_state = tcpinfo::CaState::kOpen, .rtt = 40ms, .min_rtt = 40ms, .mss = 1448, .cwnd = 20};
  int samples = 0;
  bool dead = false;  ///< no sample can be taken
};

class RecordedActs : public server::ViewerActs {
 public:
  std::optional<media::FrameRange> discard_unsent() override { return {}; }
  void pause() override { ++pauses; }
  void pad(ByteCount) override {}
  int pauses = 0;
};

class NoHandler : public server::Handler {
  std::variant<server::Admission, server::Refusal> admit(const server::ViewerRequest&,
                                                         base::Time) override {
    return server::Refusal{};
  }
};

/// A viewer of a stream whose source is not started: the encode groups are real, frames and samples
/// are the test's.
class ViewerControlTest : public testing::Test {
 protected:
  static StreamConfig config() {
    StreamConfig config;
    config.media.name = "live";
    config.media.source.uri = "test:?size=192x108";
    config.media.audio.enabled = false;
    config.control.policy = abr::PolicyKind::kItcp;  // follows events alone
    config.control.groups.max = 1;
    return config;
  }

  std::unique_ptr<ViewerControl> viewer(std::uint64_t id) {
    const server::ViewerRequest request{.id = id, .stream = "live"};
    return std::make_unique<ViewerControl>(request, stream_, deps_, now_);
  }
  /// The viewer's socket and state on the server's side.
  struct Peer {
    explicit Peer(std::uint64_t id, media::ChannelId channel) {
      state.id = id;
      state.channel = channel;
      state.rate = BitRate::mbps(2);
    }
    server::ViewerTick tick(base::Time now) {
      state.captured = now;
      return {state, connection.sender(), now, sent, acts};
    }
    /// Sends a frame of 1000 bytes that the kernel reports as acknowledged. Returns when.
    base::Time deliver_frame() {
      server::ViewerSocket socket{base::UniqueFd{::dup(connection.sender())}};
      std::array<char, 1000> bytes{};
      iovec piece{bytes.data(), bytes.size()};
      EXPECT_EQ(socket.send({&piece, 1}, true).bytes, bytes.size());
      const auto departed = base::Clock::now();
      state.sent = ByteCount{1000};
      sent.push({.departed = departed, .end_offset = 1000, .marked_end = 1000});
      pollfd report{.fd = connection.sender(), .events = 0, .revents = 0};
      EXPECT_EQ(::poll(&report, 1, 10'000), 1) << "the acknowledgement is reported as POLLERR";
      return departed;
    }
    tcpinfo::Loopback connection;
    server::ViewerState state;
    server::SentFrames sent;
    RecordedActs acts;
  };

  BitRate group_rate() { return stream_->ladder().rate_of(0); }

  base::Time now_ = base::Clock::now();
  NoHandler handler_;
  server::Server server_{{}, handler_};
  Metrics metrics_{tcpinfo::EventSource::kTracepoint};
  transcoder::MediaClock media_clock_;
  std::shared_ptr<LiveStream> stream_ = std::make_shared<LiveStream>(
      0, config(), media_clock_, transcoder::MakeSource{}, server_, metrics_);
  FakeSampler sampler_;
  EventDispatch events_{nullptr, 1};
  FinalStatistics ends_{{}, [](const auto&) {}};
  ViewerTable table_;
  ConnectionTable connections_;
  TelemetrySettings telemetry_;
  LoopBudgets budgets_{1, telemetry_};
  tcpinfo::SocketHints hints_;
  SocketWarnings warnings_;
  KnownNetworks networks_{""};
  Neighbours neighbours_;
  ViewerTaps taps_;
  ViewerControl::Deps deps_{sampler_, events_,      ends_,       tcpinfo::EventSource::kTcpInfo,
                            table_,   connections_, budgets_,    hints_,
                            {},       networks_,    neighbours_, warnings_,
                            nullptr,  taps_};
};

TEST_F(ViewerControlTest, HasAMembershipWhileItLives) {
  auto control = viewer(1);
  EXPECT_EQ(stream_->ladder().group_of(1), control->channel().group);
  EXPECT_EQ(group_rate(), BitRate::mbps(2)) << "rate.start";
  control.reset();
  EXPECT_FALSE(stream_->ladder().group_of(1));
}

TEST_F(ViewerControlTest, AFastRetransmitLowersTheRateOfAPrivateGroupAtOnce) {
  const auto control = viewer(1);
  Peer peer{1, control->channel()};
  control->on_join(peer.tick(now_));
  control->on_tick(peer.tick(now_ += 33ms));
  EXPECT_EQ(group_rate(), BitRate::mbps(2));
  sampler_.next.ca_state = tcpinfo::CaState::kRecovery;
  control->on_tick(peer.tick(now_ += 33ms));
  EXPECT_EQ(group_rate(), BitRate::kbps(1100)) << "itcp.retraction";
}

TEST_F(ViewerControlTest, PublishesWhatItSampled) {
  const auto control = viewer(1);
  Peer peer{1, control->channel()};
  control->on_join(peer.tick(now_));
  control->on_tick(peer.tick(now_ += 33ms));
  const auto viewers = table_.list(10);
  ASSERT_EQ(viewers.size(), 1u);
  EXPECT_EQ(viewers[0].rtt, 40ms);
  EXPECT_EQ(viewers[0].cwnd, 20u);
  EXPECT_EQ(viewers[0].target, BitRate::mbps(2));
}

TEST_F(ViewerControlTest, AsksForASampleBeforeTheNextFrameWhileSomethingIsInFlight) {
  const auto control = viewer(1);
  Peer peer{1, control->channel()};
  control->on_join(peer.tick(now_));
  EXPECT_FALSE(control->on_tick(peer.tick(now_ += 33ms)));
  peer.sent.push({.end_offset = 1000});
  const auto next = control->on_tick(peer.tick(now_ += 33ms));
  EXPECT_EQ(next, now_ + 30ms);
}

TEST_F(ViewerControlTest, ASharedGroupNeedsNoSampleBeforeTheNextFrame) {
  const auto control = viewer(1);
  const auto other = viewer(2);
  Peer peer{1, control->channel()};
  control->on_join(peer.tick(now_));
  peer.sent.push({.end_offset = 1000});
  EXPECT_FALSE(control->on_tick(peer.tick(now_ += 33ms)));
}

TEST_F(ViewerControlTest, ACalmViewerOfASharedGroupIsSampledAndMarkedTwicePerSecond) {
  const auto other = viewer(2);
  const auto control = viewer(1);
  Peer peer{1, control->channel()};
  control->on_join(peer.tick(now_));
  now_ = peer.deliver_frame();
  control->on_error_queue(peer.tick(now_));
  int marks = 0;
  const auto watch = [&](base::Duration time) {
    for (const auto end = now_ + time; now_ < end; now_ += 33ms) {
      marks += control->tx_timestamps(ByteCount{1000}, now_).end;
      control->on_tick(peer.tick(now_));
    }
  };
  watch(100ms);
  EXPECT_FALSE(control->may_wait());
  watch(10s);
  EXPECT_TRUE(control->may_wait());
  marks = sampler_.samples = 0;
  watch(10s);
  EXPECT_NEAR(sampler_.samples, 20, 2);
  EXPECT_NEAR(marks, 20, 2);
  sampler_.next.ca_state = tcpinfo::CaState::kRecovery;
  watch(1s);
  EXPECT_FALSE(control->may_wait());
  sampler_.samples = 0;
  watch(1s);
  EXPECT_GE(sampler_.samples, 30);
}

/// A viewer in a group with another, whose socket the kernel watches.
class WatchedViewerTest : public ViewerControlTest {
 protected:
  WatchedViewerTest() {
    control_->on_join(peer_.tick(now_));
    now_ = peer_.deliver_frame();
    control_->on_error_queue(peer_.tick(now_));
  }
  void watch(base::Duration time) {
    for (const auto end = now_ + time; now_ < end; now_ += 33ms)
      control_->on_tick(peer_.tick(now_));
  }

  FakeEventPrograms* programs_ = new FakeEventPrograms;  // owned by pushed_
  EventDispatch pushed_{std::unique_ptr<tcpinfo::EventPrograms>{programs_}, 1};
  ViewerControl::Deps watched_{
      sampler_, pushed_,      ends_,       tcpinfo::EventSource::kTracepoint,
      table_,   connections_, budgets_,    hints_,
      {},       networks_,    neighbours_, warnings_,
      nullptr,  taps_};
  std::unique_ptr<ViewerControl> other_ = viewer(2);
  std::unique_ptr<ViewerControl> control_ = std::make_unique<ViewerControl>(
      server::ViewerRequest{.id = 1, .stream = "live"}, stream_, watched_, now_);
  Peer peer_{1, control_->channel()};
};

TEST_F(WatchedViewerTest, TheKernelWatchesTheRttOfACalmViewerWhoIsSampledSeldom) {
  watch(100ms);
  EXPECT_TRUE(programs_->rtt_limits.empty());
  watch(20s);
  EXPECT_EQ(programs_->rtt_limits, (std::vector{std::chrono::microseconds{50ms}}));
  sampler_.samples = 0;
  watch(20s);
  EXPECT_NEAR(sampler_.samples, 10, 1);
}

TEST_F(WatchedViewerTest, ALongerRttIsSampledAtOnceAndThenAtEveryFrame) {
  watch(20s);
  sampler_.samples = 0;
  sampler_.next.rtt = 70ms;
  programs_->kind = tcpinfo::EventKind::kRtt;
  programs_->rings[0] = {1};
  pushed_.loop_source(0)->on_readable(now_);
  EXPECT_EQ(sampler_.samples, 1);
  EXPECT_FALSE(control_->may_wait());
  watch(330ms);
  EXPECT_GE(sampler_.samples, 9);
  watch(20s);
  EXPECT_EQ(programs_->rtt_limits.back(), 80ms) << "calm again, on a longer path";
}

TEST_F(ViewerControlTest, TakesNoActionOnADeadSocket) {
  const auto control = viewer(1);
  Peer peer{1, control->channel()};
  control->on_join(peer.tick(now_));
  sampler_.dead = true;
  EXPECT_FALSE(control->on_tick(peer.tick(now_ += 33ms)));
  control->on_leave(peer.tick(now_), server::LeaveReason::kSocketError);
  EXPECT_TRUE(table_.list(10).empty());
}

TEST_F(ViewerControlTest, TakesNoSamplesBeyondItsLoopsBudget) {
  telemetry_.samples_per_second = 0;
  LoopBudgets none{1, telemetry_};
  ViewerControl::Deps deps{sampler_, events_,      ends_,       tcpinfo::EventSource::kTcpInfo,
                           table_,   connections_, none,        hints_,
                           {},       networks_,    neighbours_, warnings_,
                           nullptr,  taps_};
  const server::ViewerRequest request{.id = 1, .stream = "live"};
  ViewerControl control{request, stream_, deps, now_};
  Peer peer{1, control.channel()};
  control.on_join(peer.tick(now_));
  control.on_tick(peer.tick(now_ += 33ms));
  EXPECT_EQ(sampler_.samples, 0);
}

}  // namespace
}  // namespace app
