#include "switching_server.h"

#include <random>
#include <utility>

#include "server/listen.h"
#include "tcpinfo/socket_control.h"

namespace {

constexpr base::Duration kNotice = std::chrono::milliseconds{100};  // as app::Ladder has it

}  // namespace

/// Keeps each viewer's queue short.
class SwitchingServer::Observer : public server::ViewerObserver {
 public:
  Observer(transcoder::Stream& stream, base::ByteCount max_queued, std::uint64_t seed)
      : stream_{stream}, max_queued_{max_queued}, random_{seed} {}

  void on_join(const server::ViewerTick& tick) override {
    tcpinfo::set_notsent_lowat(tick.fd, base::ByteCount{4096});
  }
  std::optional<base::Time> on_tick(const server::ViewerTick& tick) override {
    tick.sent.take_all([](const auto&) {});
    if (random_() % 20 == 0) {
      tick.acts.pad(base::ByteCount{static_cast<std::int64_t>(random_() % 16'000)});
    }
    if (tick.state.queued <= max_queued_) return {};
    const auto discarded = tick.acts.discard_unsent();
    if (discarded) stream_.group(tick.state.channel.group)->recover(*discarded);
    return {};
  }
  std::optional<base::Time> on_sample_due(const server::ViewerTick&) override { return {}; }
  bool may_wait() const override { return false; }
  server::TxTimestampRequest tx_timestamps(base::ByteCount, base::Time) override { return {}; }
  void on_error_queue(const server::ViewerTick&) override {}
  void on_leave(const server::ViewerTick&, server::LeaveReason) override {}

 private:
  transcoder::Stream& stream_;
  const base::ByteCount max_queued_;
  std::mt19937_64 random_;
};

class SwitchingServer::Handler : public server::Handler {
 public:
  Handler(transcoder::Stream& stream, base::ByteCount max_queued)
      : stream_{stream}, max_queued_{max_queued} {}

  std::variant<server::Admission, server::Refusal> admit(const server::ViewerRequest& request,
                                                         base::Time) override {
    const auto group = static_cast<std::uint32_t>(request.id % kGroups);
    return server::Admission{{0, group},
                             std::make_unique<Observer>(stream_, max_queued_, request.id)};
  }

 private:
  transcoder::Stream& stream_;
  const base::ByteCount max_queued_;
};

SwitchingServer::SwitchingServer(const transcoder::StreamSettings& settings,
                                 const server::Endpoint& listen, base::ByteCount max_queued,
                                 std::function<void(const media::Packet&)> published)
    : handler_{std::make_unique<Handler>(stream_, max_queued)},
      server_{{}, *handler_},
      stream_{settings,
              {media_clock_, settings.encoder.keyframe_interval, base::Clock::now()},
              {},  // its source is test:
              [this, published = std::move(published)](std::uint32_t group,
                                                       const media::PacketPtr& packet) {
                published(*packet);
                server_.publish({0, group}, packet);
              }} {
  server_.start(server::listen_on({listen}));
  stream_.start();
  for (std::uint32_t group = 0; group < kGroups; ++group) {
    stream_.open_group(group, base::BitRate::kbps(300. * (group + 1)), {});
  }
}

SwitchingServer::~SwitchingServer() {
  server_.stop();
  stream_.stop();
}

void SwitchingServer::move(server::ViewerId viewer, std::uint32_t group) {
  server_.move_viewer(viewer, {0, group}, stream_.schedule_keyframe(group, kNotice));
}
