#include "app/segments/service.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <random>
#include <utility>
#include <variant>
#include <vector>

#include "app/config/config_units.h"
#include "app/segments/begin_response.h"
#include "app/segments/deferred_response.h"
#include "app/segments/media_response.h"
#include "app/segments/missing.h"
#include "app/segments/playlist_response.h"
#include "app/segments/rate_response.h"
#include "segments/utc_time.h"
#include "server/query.h"

namespace app {

namespace {

using server::error_response;
using server::FullResponse;
using server::respond_with;
using SessionPtr = std::shared_ptr<SegmentSession>;

// The first digit of a token. After a restart it tells the server which format the session has.
constexpr char kDashTokenPrefix = 'd';
constexpr char kHlsTokenPrefix = 'a';

/// Random, so that nobody can guess another player's token.
std::string new_token(bool dash) {
  std::random_device random;
  return fmt::format("{}{:07x}{:08x}", dash ? kDashTokenPrefix : kHlsTokenPrefix, random() >> 4,
                     random());
}

bool is_dash(const std::string& path, const std::string& token) {
  return path.ends_with(".mpd") || token.starts_with(kDashTokenPrefix);
}

/// Marks an error as media, so that pages of other origins can read it.
std::unique_ptr<server::StreamingResponse> media_error(FullResponse error) {
  error.head.media = true;
  return respond_with(std::move(error));
}

/// Why `stream`, which may be null, never has segments. nullopt if it does.
std::optional<FullResponse> stream_error(const segments::Target& target, const LiveStream* stream) {
  const auto& name = target.stream;
  const auto what = "stream \"" + name + "\"";
  if (stream == nullptr) {
    return error_response(404, "there is no " + what + "; see /api/v1/streams");
  }
  if (!stream->offers(media::Container::kMp4)) {
    return error_response(404, what + " is MPEG-2 video; play /" + name + ".ts");
  }
  if (!stream->offers_segments()) {
    return error_response(404,
                          what + " is not available as HLS or DASH: segments.enabled is false");
  }
  return {};
}

/// A response that another one takes the place of, as soon as `respond` returns it. Holds no
/// viewer's place, because the requests of a player share one: the slots of connections bound it.
class AwaitedResponse final : public server::StreamingResponse {
 public:
  using Respond = std::function<std::unique_ptr<server::StreamingResponse>(
      server::ResponseConnection& connection, base::Time now)>;

  explicit AwaitedResponse(Respond respond) : respond_{std::move(respond)} {}

  Chunk next(server::ResponseConnection& connection, base::Time now) override {
    if (!response_) response_ = respond_(connection, now);
    return response_ ? response_->next(connection, now) : Chunk{};
  }
  Wait wait() const override {
    return response_ ? response_->wait() : Wait{.stream = {}, .until = base::Time::min()};
  }

 private:
  const Respond respond_;
  std::unique_ptr<server::StreamingResponse> response_;
};

/// A response that counts as one of its session's until it has been made.
class HeldResponse final : public server::StreamingResponse {
 public:
  HeldResponse(std::unique_ptr<server::StreamingResponse> response,
               SegmentSession::ResponseHold hold)
      : hold_{std::move(hold)}, response_{std::move(response)} {}

  Chunk next(server::ResponseConnection& connection, base::Time now) override {
    return response_->next(connection, now);
  }
  Wait wait() const override { return response_->wait(); }

 private:
  const SegmentSession::ResponseHold hold_;
  const std::unique_ptr<server::StreamingResponse> response_;
};

FullResponse too_many_responses() {
  auto response = error_response(
      503, fmt::format("the player has {} requests under way, and may not have more at once: wait "
                       "for one of them",
                       SegmentSession::kMaxResponses));
  response.head.retry_after = 1;  // by then, the client has a segment that it can play
  return response;
}

bool names_rendition(const segments::Target& target) {
  using Kind = segments::Target::Kind;
  return target.kind != Kind::kMultivariant && target.kind != Kind::kManifest;
}

segments::Choice choice_in(const std::string& query, const LiveStream& stream) {
  const auto choice = server::value_in(query, "abr");
  if (choice == "server") return segments::Choice::kServer;
  if (choice == "player") return segments::Choice::kPlayer;
  return stream.segment_settings().choice;
}

BeginRequest begin_request(const segments::Target& target, const std::string& query,
                           const LiveStream& stream) {
  return {.choice = choice_in(query, stream),
          .in_session = !target.session.empty(),
          .query = server::kept_query(query)};
}

/// The session that a player of DASH has had on this connection, or null. GStreamer 1.22 and VLC 3
/// ignore Location, so each time that they reload the manifest, a session begins. Proxies share
/// connections among players.
SessionPtr former_session(const server::ResponseConnection& connection, const LiveStream& stream,
                          const server::HandlerRequest& request) {
  if (!connection.state || !request.path.ends_with(".mpd")) return nullptr;
  auto session = SegmentConnection::of(connection).session();
  const bool same = session && session->is_dash() && &session->stream() == &stream &&
                    session->is_of(request.client.address, request.user_agent);
  return same ? session : nullptr;
}

/// The time of the session if the player has one, which may be null.
std::unique_ptr<server::StreamingResponse> time_response(const segments::Target& target,
                                                         const LiveStream& stream,
                                                         SegmentSession* session, base::Time now) {
  const auto& clock = stream.clock();
  const auto date =
      session == nullptr ? clock.date(clock.at(now), clock.date_offset()) : session->time(now);
  auto response = server::text_response(200, target.content_type(), segments::utc_text(date));
  response.head.media = true;
  return respond_with(std::move(response));
}

/// The error for a ?rate= that no segment has, if there is one.
std::optional<FullResponse> rate_error(const segments::Target& target, const std::string& query) {
  using Kind = segments::Target::Kind;
  if (target.kind != Kind::kSegment && target.kind != Kind::kPart) return {};
  const auto text = server::value_in(query, "rate");
  if (!text) return {};
  const auto rate = parse_rate(*text);
  const bool has_frames = target.rendition.kind != segments::Rendition::Kind::kAudio;
  if (target.kind == Kind::kSegment && has_frames && rate && rate->bps() > 0) return {};
  return error_response(400, "?rate= applies to whole video segments: give a rate such as 1734k");
}

base::BitRate within_limits(base::BitRate rate, const LiveStream& stream) {
  const auto limits = stream.viewer_settings()->control.rate;
  return std::clamp(rate, limits.min, limits.max);
}

/// The error for a segment that a new player asks for at a rate, if it is not there.
std::optional<FullResponse> missing_at_rate(const segments::Target& target,
                                            const std::string& query, const LiveStream& stream,
                                            const OnDemand& on_demand) {
  const auto rate = server::value_in(query, "rate");
  if (target.kind != segments::Target::Kind::kSegment || !rate) return {};
  return app::missing_at_rate(on_demand, stream, our_number(target.number, stream),
                              within_limits(*parse_rate(*rate), stream));
}

/// A playlist repeats its query in some sixty URLs.
constexpr std::size_t kMaxQuery = 2048;

// How long a response may wait for data, in segment durations. Well-behaved players wait no longer.
constexpr int kMaxWaitSegments = 3;
// But at least this long: a busy machine can be late by more than three short segments, and a
// player that has received half of a segment is served better by a late end than by none.
constexpr base::Duration kMinWait = std::chrono::seconds{6};
// A manifest may wait longer. For a stream's first viewer an encoder has to start, and then to make
// as much as players start behind live.
constexpr base::Duration kManifestExtraWait = std::chrono::seconds{2};
// In segment durations. A player of whole segments sends one request per segment.
constexpr int kIdleTimeoutSegments = 3;

/// How long a session lasts without a request, and its place stays earned without media.
base::Duration idle_timeout(const LiveStream& stream) {
  const auto segment = stream.segments().clock().segment;
  return std::max(SegmentService::kMinIdleTimeout, kIdleTimeoutSegments * segment);
}

}  // namespace

std::unique_ptr<server::StreamingResponse> SegmentService::respond(
    const server::HandlerRequest& request, server::ResponseConnection& connection, base::Time now) {
  const auto target = segments::Target::parse(request.path);
  if (!target) return nullptr;
  if (auto response = try_to_respond(*target, request, connection, now)) return response;
  return std::make_unique<AwaitedResponse>(
      [this, request, target = *target](auto& on, base::Time later) {
        return try_to_respond(target, request, on, later);
      });
}

std::unique_ptr<server::StreamingResponse> SegmentService::try_to_respond(
    const segments::Target& target, const server::HandlerRequest& request,
    server::ResponseConnection& connection, base::Time now) {
  const auto stream = find_(target.stream);
  if (auto error = stream_error(target, stream.get())) return media_error(std::move(*error));
  if (request.query.size() > kMaxQuery) {
    return media_error(error_response(414, "the query of the URL is too long: shorten it"));
  }
  auto session = find(target.session, *stream);
  if (session && session->is_evicted()) {
    end(*session);
    session = nullptr;
  }
  if (target.kind == segments::Target::Kind::kTime) {
    if (session) session->touch(now);
    return time_response(target, *stream, session.get(), now);
  }
  if (!stream->has_frame()) {
    if (stream->is_new(now)) return nullptr;
    return media_error(error_response(503, "stream \"" + target.stream +
                                               "\" has no video yet; its source may not be "
                                               "connected"));
  }
  if (!session) {
    auto error = missing(target, request.query, *stream);
    if (!error) error = rate_error(target, request.query);
    if (!error) error = missing_at_rate(target, request.query, *stream, on_demand_);
    if (error) return media_error(std::move(*error));
  }
  if (!session && request.head) {
    return respond_with(
        {.head = {.content_type = target.content_type(), .media = true}, .body = {}});
  }
  if (!session) {
    session = start_session(target.session, stream, request,
                            former_session(connection, *stream, request), now);
  }
  if (!session) return media_error(error_response(503, "too many viewers: try again later"));
  if (connection.state) SegmentConnection::of(connection).end_response();
  auto hold = SegmentSession::hold_response(session);
  if (!hold) {
    ++requests_refused_;
    return media_error(too_many_responses());
  }
  if (!connection.state) {
    connection.state = std::make_unique<SegmentConnection>(
        shared_, ++request.viewer_places.last_viewer, connection.fd, request.loop);
  }
  SegmentConnection::of(connection).on_request(session, hold, request.client.peer, now);
  if (names_rendition(target)) {
    session->play(target.rendition, now);
  } else {
    session->touch(now);
  }
  return std::make_unique<HeldResponse>(response_to(std::move(session), target, request.query, now),
                                        std::move(hold));
}

std::unique_ptr<server::StreamingResponse> SegmentService::response_to(
    SessionPtr session, const segments::Target& target, const std::string& query, base::Time now) {
  using Kind = segments::Target::Kind;
  auto& stream = session->stream();
  const auto until = now + std::max(kMinWait, kMaxWaitSegments * stream.segments().clock().segment);
  switch (target.kind) {
    case Kind::kMultivariant:
      return multivariant_response(session, begin_request(target, query, stream), until);
    case Kind::kManifest:
      return manifest_response(session, begin_request(target, query, stream),
                               until + kManifestExtraWait);
    case Kind::kPlaylist:
      return playlist_response(std::move(session), target.rendition, query, until);
    case Kind::kPart:
    case Kind::kSegment:
      if (auto error = rate_error(target, query)) return media_error(std::move(*error));
      if (const auto rate = server::value_in(query, "rate")) {
        return response_at_rate(std::move(session), target, *parse_rate(*rate), until);
      }
      [[fallthrough]];
    default:
      return media_response(std::move(session), target, until);
  }
}

/// Keeps the rate within the limits that the operator has set for viewers.
std::unique_ptr<server::StreamingResponse> SegmentService::response_at_rate(
    SessionPtr session, const segments::Target& target, base::BitRate rate, base::Time until) {
  const auto place = session->place(target.number);
  const EncodeTurns::Asker asker{server::AddressBlock::largest(session->address()), session->id()};
  OnDemand::Request request{session->shared_stream(), place.number,
                            within_limits(rate, session->stream()), asker};
  return rate_response(std::move(session), on_demand_, std::move(request), place.later, until);
}

SegmentService::SessionPtr SegmentService::find(const std::string& token,
                                                const LiveStream& stream) const {
  std::lock_guard lock{mutex_};
  const auto found = sessions_.find(key_of(token, stream));
  return found == sessions_.end() ? nullptr : found->second;
}

/// Does not hold the mutex while an encoder is opened. Accepts an unknown token: its session has
/// ended because the player paused, or the server has restarted.
SegmentService::SessionPtr SegmentService::start_session(const std::string& known,
                                                         std::shared_ptr<LiveStream> stream,
                                                         const server::HandlerRequest& request,
                                                         const SessionPtr& former, base::Time now) {
  const bool resumes = !known.empty();
  const bool dash = is_dash(request.path, known);
  auto place =
      request.viewer_places.places.take(request.client.address, now, idle_timeout(*stream));
  if (!std::holds_alternative<server::Places::Place>(place)) return nullptr;
  SegmentSession::Start start{.token = resumes ? known : new_token(dash),
                              .id = ++request.viewer_places.last_viewer,
                              .stream = std::move(stream),
                              .place = std::get<server::Places::Place>(std::move(place)),
                              .client = request.client,
                              .user_agent = request.user_agent,
                              .format = dash ? "dash" : "hls",
                              .resumes = resumes,
                              .former = former.get()};
  auto session =
      std::make_shared<SegmentSession>(std::move(start), recorders_.trace, recorders_.taps, now);
  std::lock_guard lock{mutex_};
  const auto [entry, is_new] =
      sessions_.emplace(key_of(session->token(), session->stream()), session);
  if (is_new) ++joined_;  // if not, another connection was faster
  return entry->second;
}

void SegmentService::tick(base::Time now) {
  for (const auto& session : all()) recorders_.table.put(session->tick(now));
  end_if([now](const auto& session) {
    return session.is_evicted() || now - session.last_activity() > idle_timeout(session.stream());
  });
  on_demand_.forget_old(now);
}

std::vector<SegmentService::SessionPtr> SegmentService::all() const {
  std::lock_guard lock{mutex_};
  std::vector<SessionPtr> result;
  for (const auto& [token, session] : sessions_) result.push_back(session);
  return result;
}

void SegmentService::end_if(const std::function<bool(const SegmentSession&)>& should_end) {
  for (const auto& session : all()) {
    if (should_end(*session)) end(*session);
  }
}

/// Two loops may find that a session has to end.
void SegmentService::end(SegmentSession& session) {
  {
    std::lock_guard lock{mutex_};
    const auto found = sessions_.find(key_of(session.token(), session.stream()));
    if (found == sessions_.end() || found->second.get() != &session) return;
    sessions_.erase(found);
  }
  ++(session.is_evicted() ? evicted_ : left_);
  recorders_.table.remove(session.id());
  session.end(base::Clock::now());
}

}  // namespace app
