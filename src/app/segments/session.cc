#include "app/segments/session.h"

#include <algorithm>
#include <utility>

#include "app/segments/declared.h"
#include "app/tcp/socket_limits.h"
#include "base/log.h"

namespace app {

namespace {

using segments::Rendition;

// A player asks again for a few of his segments at most: of those before, what was decided is of no
// interest.
constexpr std::size_t kMostDecisions = 4;  // of each segment that is kept
// What chunks and frames add is the same in all usual ones, near enough.
constexpr base::Duration kUsualInterval = std::chrono::milliseconds{33};

}  // namespace

SegmentSession::SegmentSession(Start start, Trace* trace, ViewerTaps& taps, base::Time now)
    : token_{std::move(start.token)},
      id_{start.id},
      stream_{std::move(start.stream)},
      rungs_{stream_->rungs()},
      plays_chunks_{start.format == "dash"},
      slot_{std::move(start.slot)},
      asked_{now},
      rate_{stream_->viewer_settings()->control.rate,
            transport(stream_->media_settings().audio, media::Container::kMp4, kUsualInterval),
            stream_->segments().clock().part},
      record_{{.id = id_,
               .stream = stream_->name(),
               .format = start.format,
               .address = start.address,
               .user_agent = start.user_agent.substr(0, ViewerTelemetry::kMaxUserAgentBytes),
               .connected = now,
               .group = stream_->ladder().join(id_, rate_.rate(), now),
               .target = rate_.rate()},
              trace,
              taps,
              now} {
  base::log::info("session_began", {{"viewer", id_},
                                    {"stream", stream_->name()},
                                    {"format", start.format},
                                    {"address", start.address.text()},
                                    {"user_agent", start.user_agent},
                                    {"rate", rate_.rate()}});
}

SegmentSession::~SegmentSession() { end(base::Clock::now()); }

void SegmentSession::end(base::Time now) {
  std::lock_guard lock{mutex_};
  if (std::exchange(ended_, true)) return;
  slot_ = {};
  record_.end(now);
  stream_->ladder().leave(id_, now);
  const auto& viewer = record_.viewer();
  base::log::info("session_ended", {{"viewer", id_},
                                    {"stream", stream_->name()},
                                    {"format", viewer.format},
                                    {"seconds", now - viewer.connected},
                                    {"bytes", viewer.bytes_sent.bytes()},
                                    {"congestion_events", viewer.events}});
}

base::Time SegmentSession::asked() const {
  std::lock_guard lock{mutex_};
  return asked_;
}

Rendition SegmentSession::playing() const {
  std::lock_guard lock{mutex_};
  return playing_;
}

void SegmentSession::touch(base::Time now) {
  std::lock_guard lock{mutex_};
  asked_ = now;
}

void SegmentSession::offer(segments::Choice choice) {
  std::lock_guard lock{mutex_};
  offered_rungs_ = choice == segments::Choice::kPlayer;
}

bool SegmentSession::chooses() const {
  std::lock_guard lock{mutex_};
  return offered_rungs_ || playing_.kind == Rendition::Kind::kRung;
}

void SegmentSession::ask(Rendition rendition, base::Time now) {
  std::lock_guard lock{mutex_};
  asked_ = now;
  if (rendition.kind == Rendition::Kind::kAudio || rendition == playing_) return;
  playing_ = rendition;
  if (rendition.kind != Rendition::Kind::kRung) return;
  stream_->ladder().report(
      id_, {.rate = rate_of(rendition), .reason = abr::Reason::kAsked, .sustains = {}}, now);
}

std::optional<std::uint64_t> SegmentSession::first() {
  std::lock_guard lock{mutex_};
  if (!first_) first_ = oldest();
  return first_;
}

std::optional<std::uint64_t> SegmentSession::oldest() const {
  return stream_->segments().oldest(stream_->media_settings().audio.enabled);
}

base::BitRate SegmentSession::rate_of(Rendition rendition) const {
  return rungs_[std::min<std::size_t>(rendition.rung, rungs_.size() - 1)];
}

std::optional<SegmentSession::TrackId> SegmentSession::track(Rendition rendition,
                                                             std::uint64_t number) {
  std::lock_guard lock{mutex_};
  const std::pair key{number, rendition};
  if (const auto known = tracks_.find(key); known != tracks_.end()) return known->second;
  const auto chosen = choose(rendition, number);
  if (!chosen) return {};
  if (tracks_.size() >= kMostDecisions * stream_->segments().window())
    tracks_.erase(tracks_.begin());
  tracks_.emplace(key, *chosen);
  return chosen;
}

/// Groups begin a segment within a few milliseconds of each other.
bool SegmentSession::just_begun(const std::vector<segments::SegmentStore::Holder>& holders,
                                std::uint64_t number) const {
  return std::ranges::all_of(holders, [&](const auto& holder) {
    const auto segment = stream_->segments().video(holder.track, number);
    return !segment || segment->parts.empty();
  });
}

/// His own group's, or what comes next to his rate.
std::optional<SegmentSession::TrackId> SegmentSession::choose(Rendition rendition,
                                                              std::uint64_t number) const {
  const auto& store = stream_->segments();
  const auto holders = store.holders(number);
  if (holders.empty()) return {};
  if (rendition == playing_) {
    const auto group = stream_->ladder().group_of(id_);
    const auto own = group ? store.track(*group) : std::nullopt;
    const auto has = [&](const auto& holder) { return own == holder.track; };
    if (std::ranges::any_of(holders, has)) return own;
    if (own && number == store.newest() && just_begun(holders, number)) return {};
  }
  const auto most = rendition.kind == Rendition::Kind::kRung ? rate_of(rendition) : rate_.rate();
  const auto worth = [&](const auto& holder) {
    const bool fits = holder.rate <= most;
    return std::pair{fits, fits ? holder.rate.bps() : -holder.rate.bps()};
  };
  return std::ranges::max_element(holders, {}, worth)->track;
}

std::optional<segments::Segment> SegmentSession::segment(Rendition rendition,
                                                         std::uint64_t number) {
  const auto& store = stream_->segments();
  if (rendition.kind == Rendition::Kind::kAudio) return store.audio(number);
  const auto from = track(rendition, number);
  return from ? store.video(*from, number) : std::nullopt;
}

base::BitRate SegmentSession::audio() const {
  const auto& audio = stream_->media_settings().audio;
  return audio.enabled ? audio.rate : base::BitRate{};
}

void SegmentSession::report(ViewerId connection, const SessionRate::ConnectionReport& report,
                            const tcpinfo::TcpSample& sample, base::Time now) {
  std::lock_guard lock{mutex_};
  if (ended_) return;
  if (report.busy) asked_ = now;
  const auto decision = rate_.report(connection, report, now);
  record_.note(report, sample, rate_, now);
  if (playing_.kind == Rendition::Kind::kRung || decision.reason == abr::Reason::kHold) return;
  record_.decided(decision, now);
  stream_->metrics().decision(decision.reason);
  stream_->ladder().report(id_, decision, now);
}

void SegmentSession::event(const tcpinfo::CongestionEvent& event, tcpinfo::EventSource source,
                           base::Time now) {
  stream_->metrics().congestion_event(event.kind, source);
  std::lock_guard lock{mutex_};
  if (!ended_) record_.event(event, source, now);
}

void SegmentSession::forget(ViewerId connection) {
  std::lock_guard lock{mutex_};
  rate_.forget(connection);
}

std::optional<base::BitRate> SegmentSession::carried() const {
  std::lock_guard lock{mutex_};
  return rate_.carried();
}

void SegmentSession::sent(base::ByteCount amount) {
  std::lock_guard lock{mutex_};
  if (!ended_) record_.sent(amount);
}

segments::CmsdDynamic SegmentSession::dynamics(ViewerId connection, base::Time now) const {
  std::lock_guard lock{mutex_};
  auto told = rate_.dynamics(connection, audio(), now);
  if (!offered_rungs_ && playing_.kind != Rendition::Kind::kRung) return told;
  // Where nothing that is offered is as low, dash.js takes the highest.
  const auto least = declared_peak(rungs_.back() + audio());
  told.max_suggested = std::max(told.max_suggested.value_or(least), least);
  return told;
}

ViewerTelemetry SegmentSession::tick(base::Time now) {
  const auto group = stream_->ladder().group_of(id_).value_or(0);
  const auto served = stream_->ladder().rate_of(group);
  std::lock_guard lock{mutex_};
  const bool chooses = playing_.kind == Rendition::Kind::kRung;
  record_.look(group, served, chooses ? rate_of(playing_) : rate_.rate(), now);
  return record_.viewer();
}

}  // namespace app
