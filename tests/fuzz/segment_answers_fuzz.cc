#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "app/segments/service.h"
#include "base/log.h"
#include "fuzz/check.h"
#include "fuzz/segment_stream.h"
#include "fuzz/segment_texts.h"
#include "fuzz/target.h"

// Players of HLS and DASH, honest and not, of a stream whose segments the target makes. The first
// byte chooses the stream, the second the limits; each later one is an action.

namespace {

using namespace std::chrono_literals;
using base::BitRate;
using segments::Target;
using server::StreamingResponse;

enum class Action : std::uint8_t {
  kRequest,
  kFrames,
  kTick,
  kAcknowledge,
  kDisconnect,
  kEncode,
  kSource,
  kSettings
};
constexpr unsigned kActions = 8;
constexpr int kMaxActions = 300;

constexpr unsigned kConnections = 10;  // a session may have six responses
constexpr BitRate kMinRate = BitRate::kbps(300);
constexpr BitRate kMaxRate = BitRate::mbps(5);

class NoHandler final : public server::Handler {
  std::variant<server::Admission, server::Refusal> admit(const server::ViewerRequest&,
                                                         base::Time) override {
    return server::Refusal{};
  }
};

/// One connection, and the response that is under way on it.
struct Connection {
  server::ResponseConnection at;
  std::unique_ptr<StreamingResponse> response{};
  server::Client client;
  std::string user_agent;
  std::string path{};  ///< of the request
  std::optional<Target> target{};
  /// When the request began a session: SegmentStore::revision.
  std::optional<std::uint64_t> began{};
  std::optional<server::ResponseHead> head{};
  std::string body{};
  std::uint64_t acked = 0;
};

/// The kernel, in which the target acknowledges.
class Sampler final : public tcpinfo::TcpSampler {
 public:
  static constexpr int kFirstFd = 1'000'000;  // is no descriptor of this process

  explicit Sampler(const std::vector<Connection>& connections) : connections_{connections} {}

  std::optional<tcpinfo::TcpSample> sample(int fd, base::Time now) override {
    const auto& connection = connections_[static_cast<std::size_t>(fd - kFirstFd)];
    tcpinfo::TcpSample sample{.at = now, .rtt = 40ms, .min_rtt = 20ms, .mss = 1448, .cwnd = 20};
    sample.bytes_acked = connection.acked;
    sample.unacked = connection.at.sent > connection.acked ? 1 : 0;
    sample.delivery_rate = BitRate::mbps(3);
    sample.busy = now.time_since_epoch();
    return sample;
  }

 private:
  const std::vector<Connection>& connections_;
};

app::StreamConfig stream_config(unsigned choice) {
  app::StreamConfig config;
  config.media.name = "live";
  config.media.audio.enabled = choice % 2 == 1;
  config.media.encoder.keyframe_interval = choice / 2 % 2 == 0 ? 2s : 1s;
  config.segments.part = choice / 4 % 2 == 0 ? 400ms : 200ms;
  config.segments.window = choice / 8 % 2 == 0 ? 10s : 30s;
  config.segments.choice =
      choice / 16 % 2 == 0 ? segments::Choice::kServer : segments::Choice::kPlayer;
  config.segments.enabled = choice != 255;
  config.media.source.first_picture_wait = choice / 32 % 2 == 0 ? 1h : 0s;
  config.control.rate = {.min = kMinRate, .max = kMaxRate, .start = BitRate::mbps(2)};
  config.control.groups.linger = 5s;
  config.tcp.rto_max = app::kKernelsRtoMax;
  return config;
}

server::Settings server_settings() {
  server::Settings settings;
  settings.threads = 1;
  return settings;
}

class Players {
 public:
  Players(unsigned stream, unsigned limits)
      : max_viewers_{1 + static_cast<int>(limits % 4)},
        places_{{.in_all = max_viewers_, .per_address = 3, .rate = BitRate::kbps(100)}},
        stream_{std::make_shared<fuzz::SegmentStream>(0, stream_config(stream), media_clock_,
                                                      transcoder::MakeSource{}, server_, metrics_)},
        on_demand_{std::array{0.0, 0.05, 1.0, 8.0}[limits / 4 % 4],
                   [this](const auto&, const auto& segment, BitRate rate) {
                     return encode(segment, rate);
                   },
                   stream_->now()} {
    connections_.resize(kConnections);
    for (unsigned i = 0; i < kConnections; ++i) reset(connections_[i], i);
  }

  void act(Action action, fuzz::Input& input) {
    const auto value = input.take<std::uint8_t>();
    switch (action) {
      case Action::kRequest:
        request(value, input);
        break;
      case Action::kFrames:
        for (int frames = value % 24; frames >= 0; --frames) publish();
        break;
      case Action::kTick:
        stream_->skip(value % 8 * 50ms);
        tick();
        break;
      case Action::kAcknowledge:
        acknowledge(connections_[value % kConnections]);
        break;
      case Action::kDisconnect:
        reset(connections_[value % kConnections], value % kConnections);
        break;
      case Action::kEncode:
        encoder_fails_ = value % 8 == 7;
        on_demand_.encode_next(now());
        break;
      case Action::kSource:
        source(value);
        break;
      case Action::kSettings:
        settings(value);
        break;
    }
    poll();
    check();
  }

  /// All players and the stream go, and nothing is left.
  void end() {
    service_.stop();
    CHECK(service_.joined() == service_.left() + service_.evicted(), service_.joined());
    CHECK(places_.taken() == 0, places_.taken());
    CHECK(table_.list(1).empty());
    for (unsigned i = 0; i < kConnections; ++i) reset(connections_[i], i);
    CHECK(connection_table_.list().empty());
    stream_->let_encoders_fail(false);
    for (int seconds = 0; seconds < 10; ++seconds) {
      stream_->skip(1s);
      stream_->ladder().tick(now());
    }
    CHECK(stream_->groups() == 0, stream_->groups());
    const auto later = now() + 10s;
    const std::weak_ptr<const app::LiveStream> stream = std::exchange(stream_, nullptr);
    on_demand_.forget_old(later);
    on_demand_.forget_old(later);  // the first call frees what waited, and so the stream
    CHECK(stream.expired());
    CHECK(on_demand_.state().kept == 0, on_demand_.state().kept);
  }

 private:
  base::Time now() const { return stream_->now(); }

  /// A client closes the connection and opens another one.
  void reset(Connection& connection, unsigned index) {
    connection.response.reset();
    connection.at.state.reset();
    server::Client client;
    client.address = *server::Address::parse("192.0.2." + std::to_string(index % 3));
    client.peer = client.address;
    const int fd = Sampler::kFirstFd + static_cast<int>(index);
    connection = Connection{.at = {.fd = fd},
                            .client = std::move(client),
                            .user_agent = index % 4 == 3 ? "GStreamer" : "player"};
  }

  void publish() {
    stream_->publish([this] { poll(); });
    poll();
  }

  void tick() {
    service_.tick(now());
    const auto sessions = service_.joined() - service_.left() - service_.evicted();
    CHECK(sessions == static_cast<std::uint64_t>(places_.taken()), sessions, places_.taken());
    stream_->ladder().tick(now());
    for (auto& connection : connections_) {
      if (connection.at.state) connection.at.state->on_tick(connection.at, now());
    }
  }

  void acknowledge(Connection& connection) {
    connection.acked = connection.at.sent;
    if (connection.at.state) connection.at.state->on_tick(connection.at, now());
  }

  void source(unsigned value) {
    switch (value % 4) {
      case 0:
        stream_->skip(value / 4 * 1s);
        break;
      case 1:
        stream_->let_encoders_fail(value / 4 % 2 == 1);
        break;
      case 2:
        stream_->show_picture();
        break;
      default:
        // Somebody sets the clock.
        const auto real = transcoder::MediaClock::Reading::now();
        media_clock_.update({real.monotonic, real.boot, real.unix + (value / 4 - 32) * 1s});
        break;
    }
  }

  void settings(unsigned value) {
    auto settings = *stream_->viewer_settings();
    settings.control.rate.max = value % 2 == 0 ? kMaxRate : BitRate::mbps(1);
    settings.control.rate.min = value / 2 % 2 == 0 ? kMinRate : BitRate::kbps(600);
    stream_->reconfigure(settings);
  }

  app::OnDemand::Encoded encode(const segments::Segment& segment, BitRate rate) {
    CHECK(rate >= (1 / 1.06) * kMinRate && rate <= kMaxRate, rate.bps());
    if (encoder_fails_) {
      encoder_failed_ = true;
      return {base::Error{"no"}, 10ms};
    }
    std::vector<media::PacketPtr> packets;
    for (const auto& part : segment.parts) {
      for (const auto& frame : part->packets()) {
        auto packet = std::make_shared<media::Packet>(*frame);
        packet->rate = rate;
        packet->headers = packets.empty() ? fuzz::SegmentStream::headers(2) : nullptr;
        packets.push_back(std::move(packet));
      }
    }
    return {std::move(packets), 300ms};
  }

  void request(unsigned value, fuzz::Input& input);
  std::string path(fuzz::Input& input) const;
  std::string query(fuzz::Input& input) const;
  std::string token(fuzz::Input& input) const;
  std::uint64_t number(fuzz::Input& input) const;
  std::uint64_t init(fuzz::Input& input) const;
  void note_session(Connection& connection, std::uint64_t joined_before) const {
    if (service_.joined() == joined_before) return;
    connection.began = stream_->segments().revision();
  }
  void poll();
  void advance(Connection& connection);
  void check_response(const Connection& connection);
  void check_text(const Connection& connection);
  void remember(std::string token) {
    if (token.empty() || std::ranges::find(tokens_, token) != tokens_.end()) return;
    tokens_.push_back(std::move(token));
  }

  void check() const {
    CHECK(places_.taken() <= max_viewers_, places_.taken());
    const auto viewers = stream_->ladder().state().viewers;
    std::size_t sum = 0;
    for (const auto count : viewers) sum += count;
    const auto sessions = service_.joined() - service_.left() - service_.evicted();
    CHECK(sum == sessions, sum, sessions);
    check_responses();
  }

  /// A session has a limited number of responses under way. One that has ended may have some, too,
  /// while another one has its token.
  void check_responses() const {
    std::map<const app::SegmentSession*, int> count;
    for (const auto& connection : connections_) {
      if (!connection.response || !connection.at.state) continue;
      ++count[app::SegmentConnection::of(connection.at).session().get()];
    }
    for (const auto& [session, responses] : count) {
      CHECK(responses <= app::SegmentSession::kMaxResponses, responses, session->token());
    }
  }

  const int max_viewers_;
  transcoder::MediaClock media_clock_;
  NoHandler handler_;
  server::Server server_{server_settings(), handler_};
  app::Metrics metrics_{tcpinfo::EventSource::kTcpInfo};
  server::Places places_;
  std::atomic<std::uint64_t> last_viewer_ = 0;
  std::shared_ptr<fuzz::SegmentStream> stream_;
  app::OnDemand on_demand_;
  bool encoder_fails_ = false;
  bool encoder_failed_ = false;
  std::vector<Connection> connections_;
  Sampler sampler_{connections_};
  app::EventDispatch events_{nullptr, 1};
  tcpinfo::SocketHints hints_;
  app::SocketWarnings warnings_;
  app::KnownNetworks networks_{""};
  app::ConnectionTable connection_table_;
  app::ViewerTable table_;
  app::ViewerTaps taps_;
  app::SegmentService service_{
      [this](const std::string& name) { return name == "live" ? stream_ : nullptr; },
      {sampler_,
       events_,
       tcpinfo::EventSource::kTcpInfo,
       hints_,
       {},
       networks_,
       warnings_,
       connection_table_},
      {table_, nullptr, taps_},
      on_demand_};
  std::vector<std::string> tokens_{"a0123456789abcde", "d0123456789abcde"};
};

std::string any_text(fuzz::Input& input) {
  return std::string{input.take_bytes(input.take<std::uint8_t>() % 64)};
}

std::string Players::token(fuzz::Input& input) const {
  return tokens_[input.take<std::uint8_t>() % tokens_.size()];
}

/// Near the newest segment, or any.
std::uint64_t Players::number(fuzz::Input& input) const {
  const auto near = input.take<std::int8_t>();
  if (near == 127) return input.take<std::uint64_t>();
  return stream_->segments().newest().value_or(1000) + static_cast<std::uint64_t>(near);
}

std::uint64_t Players::init(fuzz::Input& input) const {
  const auto choice = input.take<std::uint8_t>();
  return choice < 128 ? stream_->segments().init_of(fuzz::SegmentStream::headers(choice)) : choice;
}

/// Reads the input in order, which operator+ would not.
std::string Players::path(fuzz::Input& input) const {
  constexpr std::array<std::string_view, 4> kRenditions{"auto/", "audio/", "v0/", "v3/"};
  const auto choice = input.take<std::uint8_t>();
  const auto kind = choice % 16;
  if (kind == 0) return "/live/index.m3u8";
  if (kind == 1) return "/live/manifest.mpd";
  if (kind == 2) return "/live/time";
  if (kind == 14) return '/' + any_text(input);
  auto path = "/live/" + token(input) + '/';
  if (kind == 3) return path + "manifest.mpd";
  if (kind == 4) return path + "time";
  if (kind == 15) return path + any_text(input);
  path += kRenditions[choice / 16 % 4];
  if (kind <= 6) return path + "playlist.m3u8";
  if (kind == 7) return path + "init.mp4";
  if (kind == 8) return path + "init-" + std::to_string(init(input)) + ".mp4";
  path += std::to_string(number(input));
  if (kind >= 12) path += '.' + std::to_string(input.take<std::uint8_t>() % 16);
  return path + ".m4s";
}

std::string Players::query(fuzz::Input& input) const {
  const auto choice = input.take<std::uint8_t>();
  switch (choice % 12) {
    case 1:
      return "abr=player";
    case 2:
      return "abr=server&key=a$b%20'";
    case 3:
      return "_HLS_msn=" + std::to_string(number(input));
    case 4:
    case 5: {
      const auto msn = "_HLS_msn=" + std::to_string(number(input));
      return msn + "&_HLS_part=" + std::to_string(choice / 12);
    }
    case 6:
      return "rate=" + std::to_string(100 * (1 + choice / 12)) + "k";
    case 7:
      return "rate=99999999999M";
    case 8:
      return "rate=" + std::to_string(input.take<std::uint32_t>());
    case 9:
      return std::string{input.take_bytes(choice / 12)};
    case 10:
      return std::string(choice * 16u, 'q');
    default:
      return "";
  }
}

void Players::request(unsigned value, fuzz::Input& input) {
  auto& connection = connections_[value % kConnections];
  if (connection.response) reset(connection, value % kConnections);
  const bool head_only = value / kConnections % 8 == 7;
  const server::HandlerRequest request{.path = path(input),
                                       .query = query(input),
                                       .client = connection.client,
                                       .user_agent = connection.user_agent,
                                       .head = head_only,
                                       .viewer_places = {places_, last_viewer_}};
  connection.path = request.path;
  connection.at.head_only = head_only;
  connection.target = Target::parse(request.path);
  connection.head.reset();
  connection.body.clear();
  connection.began.reset();
  const auto before = service_.joined();
  try {
    connection.response = service_.respond(request, connection.at, now());
    CHECK((connection.response != nullptr) == connection.target.has_value(), request.path);
  } catch (const std::system_error&) {
    CHECK(stream_->encoders_fail());
  }
  note_session(connection, before);
}

/// Takes all that the responses can send now.
void Players::poll() {
  for (auto& connection : connections_) advance(connection);
}

void Players::advance(Connection& connection) {
  while (connection.response) {
    StreamingResponse::Chunk chunk;
    const auto before = service_.joined();
    try {
      chunk = connection.response->next(connection.at, now());
    } catch (const std::system_error&) {
      CHECK(stream_->encoders_fail() && !connection.head);
      connection.response.reset();
      return;
    } catch (const std::runtime_error&) {
      CHECK(connection.head && connection.head->status == 200);
      connection.response.reset();
      return;
    }
    note_session(connection, before);
    CHECK(!chunk.head || !connection.head);
    if (chunk.head) connection.head = std::move(chunk.head);
    CHECK(connection.head || (chunk.body.empty() && !chunk.complete), connection.path);
    for (const auto& bytes : chunk.body) {
      connection.body.append(reinterpret_cast<const char*>(bytes.bytes.data()), bytes.bytes.size());
      if (!connection.at.head_only) connection.at.sent += bytes.bytes.size();
    }
    if (chunk.complete) {
      check_response(connection);
      connection.response.reset();
    } else if (chunk.body.empty()) {
      CHECK(connection.response->wait().until, connection.path);
      return;
    }
  }
}

void Players::check_response(const Connection& connection) {
  const auto& [status, type, length, cache, fields, retry, is_media, within] = *connection.head;
  const auto& path = connection.path;
  constexpr std::array kStatuses{200, 400, 404, 414, 500, 503};
  CHECK(std::ranges::find(kStatuses, status) != kStatuses.end(), status, path);
  CHECK(status != 500 || encoder_failed_, path);
  CHECK(is_media, status, path);
  CHECK(!length || *length == connection.body.size(), *length, connection.body.size(), path);
  CHECK(std::ranges::none_of(
      fields, [](const auto& field) { return field.find_first_of("\r\n") != field.npos; }));
  if (connection.at.head_only) CHECK(!connection.began, path);
  // After a wait a segment may be missing that a player of before a restart could have meant.
  if (status == 404) CHECK(connection.began != stream_->segments().revision(), path);
  if (status != 200) {
    CHECK(connection.body.ends_with('\n') && connection.body.size() < 200, connection.body);
    return;
  }
  CHECK(type == connection.target->content_type(), type, path);
  const bool bodiless = connection.at.head_only && connection.body.empty();
  if (!bodiless) check_text(connection);
}

void Players::check_text(const Connection& connection) {
  const auto& body = connection.body;
  const auto& target = *connection.target;
  CHECK(!body.empty(), connection.path);
  switch (target.kind) {
    case Target::Kind::kMultivariant:
      remember(fuzz::check_multivariant(body));
      break;
    case Target::Kind::kManifest:
      remember(fuzz::check_manifest(body));
      break;
    case Target::Kind::kPlaylist:
      fuzz::check_playlist(body, stream_->segments(), target.rendition);
      break;
    default:
      break;
  }
}

}  // namespace

FUZZ_TARGET(segment_answers) {
  [[maybe_unused]] static const bool quiet = (base::log::redirect([](auto, auto, auto) {}), true);
  const auto stream = input.take<std::uint8_t>();
  Players players{stream, input.take<std::uint8_t>()};
  for (int actions = 0; !input.empty() && actions < kMaxActions; ++actions) {
    players.act(static_cast<Action>(input.take<std::uint8_t>() % kActions), input);
  }
  players.end();
}
