#include "app/segments/session.h"

#include <algorithm>
#include <span>
#include <utility>

#include "app/segments/declared.h"
#include "app/segments/known_players.h"
#include "app/tcp/wire_format.h"
#include "base/log.h"

namespace app {

namespace {

using segments::Rendition;

// Decisions to remember, per segment in the store. A player requests few segments again, so older
// decisions no longer matter.
constexpr std::size_t kMaxDecisionsPerSegment = 4;
// For the overhead of chunks, which is almost the same at all usual frame rates.
constexpr base::Duration kTypicalFrameInterval = std::chrono::milliseconds{33};
// Period of the proof that the player loads media. A player of whole segments loads one in each
// segment's time; with three, one that is late for a segment still gives it.
constexpr int kProofSegments = 3;
constexpr base::Duration kMinProofPeriod = std::chrono::seconds{3};
// A player that asks for this much less than its connections carry asks for little. Players leave a
// margin of 10 to 50 % themselves, and the next rung is up to twice as high.
constexpr double kModestRatio = 2;

base::Duration proof_period(base::Duration segment) {
  return std::max(kMinProofPeriod, kProofSegments * segment);
}

}  // namespace

SegmentSession::SegmentSession(Start start, Trace* trace, ViewerTaps& taps, base::Time now)
    : token_{std::move(start.token)},
      id_{start.id},
      stream_{std::move(start.stream)},
      address_{start.client.address},
      user_agent_{start.user_agent},
      rungs_{stream_->rungs()},
      plays_chunks_{start.format == "dash"},
      least_segments_{segments_to_begin(start.user_agent)},
      date_offset_{start.former == nullptr ? stream_->clock().date_offset()
                                           : start.former->date_offset_},
      suspended_{start.former == nullptr ? stream_->clock().suspended() : start.former->suspended_},
      asks_for_time_{start.former != nullptr && start.former->asks_for_time_},
      delays_{stream_->metrics().delays(start.format)},
      place_{std::move(start.place)},
      joined_{start.resumes},
      settings_revision_{stream_->settings_revision()},
      last_activity_{now},
      rate_{stream_->viewer_settings()->control.rate,
            WireFormat{stream_->media_settings().audio, media::Container::kMp4}.transport(
                kTypicalFrameInterval),
            stream_->segments().clock().part},
      sent_video_{stream_->segments().clock().part},
      proof_{proof_period(stream_->segments().clock().segment), now},
      record_{{.id = id_,
               .stream = stream_->name(),
               .format = start.format,
               .address = start.client.address,
               .proxy = start.client.proxy,
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
                                    {"address", start.client.address.text()},
                                    {"user_agent", start.user_agent},
                                    {"rate", rate_.rate()}});
}

SegmentSession::~SegmentSession() { end(base::Clock::now()); }

void SegmentSession::end(base::Time now) {
  std::lock_guard lock{mutex_};
  if (std::exchange(ended_, true)) return;
  place_ = {};
  record_.end(now);
  stream_->ladder().leave(id_, now);
  const auto& viewer = record_.viewer();
  base::log::info("session_ended", {{"viewer", id_},
                                    {"stream", stream_->name()},
                                    {"format", viewer.format},
                                    {"address", viewer.address.text()},
                                    {"seconds", now - viewer.connected},
                                    {"bytes", viewer.bytes_sent.bytes()},
                                    {"congestion_events", viewer.events}});
}

SegmentSession::ResponseHold SegmentSession::hold_response(
    std::shared_ptr<SegmentSession> session) {
  auto* counted = &session->responses_;
  if (++*counted > kMaxResponses) {
    --*counted;
    return nullptr;
  }
  return {counted, [session = std::move(session)](auto* count) { --*count; }};
}

base::Time SegmentSession::last_activity() const {
  std::lock_guard lock{mutex_};
  return last_activity_;
}

Rendition SegmentSession::playing() const {
  std::lock_guard lock{mutex_};
  return playing_;
}

void SegmentSession::touch(base::Time now) {
  std::lock_guard lock{mutex_};
  last_activity_ = now;
}

void SegmentSession::offer(segments::Choice choice) {
  std::lock_guard lock{mutex_};
  offered_rungs_ = choice == segments::Choice::kPlayer;
}

bool SegmentSession::player_chooses() const {
  std::lock_guard lock{mutex_};
  return offered_rungs_ || playing_.kind == Rendition::Kind::kRung;
}

void SegmentSession::play(Rendition rendition, base::Time now) {
  std::lock_guard lock{mutex_};
  last_activity_ = now;
  if (rendition.kind == Rendition::Kind::kAudio || rendition == playing_) return;
  playing_ = rendition;
  proof_.ask(now);
  if (rendition.kind != Rendition::Kind::kRung) return;
  stream_->ladder().report(
      id_, {.rate = rate_of(rendition), .reason = abr::Reason::kRequested, .sustains = {}}, now);
}

std::optional<std::uint64_t> SegmentSession::first_segment() {
  std::lock_guard lock{mutex_};
  if (!first_) first_ = oldest_segment();
  return first_;
}

std::optional<std::uint64_t> SegmentSession::oldest_segment() const {
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
  const auto chosen = choose_track(rendition, number);
  if (!chosen) return {};
  if (tracks_.size() >= kMaxDecisionsPerSegment * stream_->segments().window())
    tracks_.erase(tracks_.begin());
  tracks_.emplace(key, *chosen);
  return chosen;
}

/// Whether no group has completed a part of the segment. Groups begin a segment within a few
/// milliseconds of each other, so the viewer's own group may not have begun it yet.
bool SegmentSession::just_begun(const std::vector<segments::SegmentStore::Holder>& holders,
                                std::uint64_t number) const {
  return std::ranges::all_of(holders, [&](const auto& holder) {
    const auto segment = stream_->segments().video(holder.track, number);
    return !segment || segment->parts.empty();
  });
}

/// The viewer's own group if it has the segment. Otherwise the group with the highest rate that the
/// viewer can take, or the lowest rate of all.
std::optional<SegmentSession::TrackId> SegmentSession::choose_track(Rendition rendition,
                                                                    std::uint64_t number) const {
  const auto& store = stream_->segments();
  const auto holders = store.holders(number);
  if (holders.empty()) return {};
  if (rendition == playing_) {
    const auto group = stream_->ladder().group_of(id_);
    const auto own_track = group ? store.track(*group) : std::nullopt;
    const auto holds = [&](const auto& holder) { return own_track == holder.track; };
    if (std::ranges::any_of(holders, holds)) return own_track;
    if (own_track && number == store.newest() && just_begun(holders, number)) return {};
  }
  const auto max_rate =
      rendition.kind == Rendition::Kind::kRung ? rate_of(rendition) : rate_.rate();
  const auto rank = [&](const auto& holder) {
    const bool fits = holder.rate <= max_rate;
    return std::pair{fits, fits ? holder.rate.bps() : -holder.rate.bps()};
  };
  return std::ranges::max_element(holders, {}, rank)->track;
}

std::optional<segments::Segment> SegmentSession::segment(Rendition rendition,
                                                         std::uint64_t number) {
  const auto& store = stream_->segments();
  if (rendition.kind == Rendition::Kind::kAudio) return audio(number);
  const auto from = track(rendition, number);
  return from ? store.video(*from, number) : std::nullopt;
}

segments::PartPtr SegmentSession::part_to_send(Rendition rendition,
                                               const segments::Segment& segment, std::size_t index,
                                               bool live, base::Time now) {
  if (rendition.kind != Rendition::Kind::kAuto || !live) return segment.parts[index];
  const auto from = track(rendition, segment.number);
  const auto being_made = [&] {
    return from ? stream_->segments().being_made(*from) : std::vector<media::PacketPtr>{};
  };
  std::lock_guard lock{mutex_};
  auto next = sent_video_.next(segment, index, being_made, rate_.throughput(), now);
  if (next.gap && !ended_) {
    stream_->metrics().segment_discard();
    record_.add_discard({next.gap->first, next.gap->next - 1}, now);
  }
  return next.part;
}

/// From the group whose video the player gets, at the audio rate of that group. If no group has
/// made the video of a past segment, from all groups together.
std::optional<segments::Segment> SegmentSession::audio(std::uint64_t number) {
  const auto& store = stream_->segments();
  if (const auto from = track(playing(), number)) return store.audio(*from, number);
  return number < store.newest() ? store.audio(number) : std::nullopt;
}

SegmentSession::Place SegmentSession::place(std::uint64_t number) const {
  const auto& store = stream_->segments();
  if (store.is_current(number)) return {number};
  // A player may be back before the server has noticed that the clock was set.
  const auto offset = stream_->clock().date_offset(transcoder::MediaClock::Reading::now());
  const auto ahead = store.clock().ahead(offset - date_offset_);
  const auto ours = number - static_cast<std::uint64_t>(ahead);
  if (!store.is_current(ours)) return {number};
  return {ours, asks_for_time_ ? ahead * store.clock().segment : base::Duration{}};
}

std::chrono::system_clock::time_point SegmentSession::time(base::Time now) {
  asks_for_time_ = true;
  const auto& clock = stream_->clock();
  return date(clock.at(now) + clock.suspended() - suspended_);
}

base::BitRate SegmentSession::audio_rate() const {
  const auto& audio = stream_->media_settings().audio;
  return audio.enabled ? audio.rate : base::BitRate{};
}

void SegmentSession::report(ViewerId connection, const SessionRate::ConnectionReport& report,
                            const tcpinfo::TcpSample& sample, base::Time now) {
  std::lock_guard lock{mutex_};
  if (ended_) return;
  if (report.busy) last_activity_ = now;
  proof_.load(report.taking);
  const auto decision = rate_.report(connection, report, now);
  record_.add_report(report, sample, rate_, now);
  if (playing_.kind == Rendition::Kind::kRung) return;
  const bool changes = decision.reason != abr::Reason::kHold;
  const bool falls = changes && decision.reason != abr::Reason::kStep;
  if (falls || rate_.late() > stream_->segments().clock().part) recover();
  if (changes) apply(decision, now);
}

/// The path has become slower: asks for a recovery frame if frames made at the old rate should be
/// left out. In a group of the player's own it costs nobody else anything.
void SegmentSession::recover() {
  const auto group = stream_->ladder().group_of(id_);
  const auto carries = rate_.throughput();
  const auto last = sent_video_.last();
  if (!group || !carries || !last || !stream_->ladder().serves_one(*group)) return;
  const auto& store = stream_->segments();
  const auto own_track = store.track(*group);
  if (!own_track) return;
  SentVideo::Unsent unsent{.parts = {}, .being_made = store.being_made(*own_track)};
  for (auto number = last->segment; number <= store.newest(); ++number) {
    const auto segment = store.video(*own_track, number);
    if (!segment) continue;
    const auto sent = number == last->segment ? last->part + 1 : 0;
    const auto parts = std::span{segment->parts}.subspan(std::min(sent, segment->parts.size()));
    unsent.parts.insert(unsent.parts.end(), parts.begin(), parts.end());
  }
  const auto lost = sent_video_.lost(unsent, *carries);
  if (lost) stream_->recover(*group, {*lost, *lost});
}

void SegmentSession::delivered(base::Duration part, std::optional<base::Time> awaited,
                               base::Time at) {
  if (awaited) delays_.frame_delivered(at - *awaited);
  std::lock_guard lock{mutex_};
  proof_.load(part);
  if (!std::exchange(joined_, true)) delays_.joined(at - record_.viewer().connected);
}

void SegmentSession::loaded(base::Duration media, base::Duration waited) {
  std::lock_guard lock{mutex_};
  rate_.loaded(media, waited);
}

void SegmentSession::event(const tcpinfo::CongestionEvent& event, tcpinfo::EventSource source,
                           base::Time now) {
  stream_->metrics().congestion_event(event.kind, source);
  std::lock_guard lock{mutex_};
  if (!ended_) record_.add_event(event, source, now);
}

void SegmentSession::forget(ViewerId connection, const abr::TransferRate& measured) {
  std::lock_guard lock{mutex_};
  rate_.forget(connection, measured);
}

abr::TransferRate SegmentSession::transfer_rate() const {
  std::lock_guard lock{mutex_};
  return rate_.transfer_rate();
}

std::optional<base::BitRate> SegmentSession::throughput() const {
  std::lock_guard lock{mutex_};
  return rate_.throughput();
}

void SegmentSession::add_sent(base::ByteCount amount) {
  std::lock_guard lock{mutex_};
  if (!ended_) record_.add_sent(amount);
}

segments::CmsdDynamic SegmentSession::dynamics(ViewerId connection, base::Time now) const {
  std::lock_guard lock{mutex_};
  auto result = rate_.dynamics(connection, audio_rate(), now);
  if (!offered_rungs_ && playing_.kind != Rendition::Kind::kRung) return result;
  // If dash.js is suggested less than the lowest offered rate, it plays the highest.
  const auto lowest = declared_peak(rungs_.back() + audio_rate());
  result.max_suggested = std::max(result.max_suggested.value_or(lowest), lowest);
  return result;
}

/// The operator may have changed the limits of the rate (SIGHUP). A player that chooses keeps the
/// rates that it was offered.
void SegmentSession::follow_settings(base::Time now) {
  const auto revision = stream_->settings_revision();
  if (std::exchange(settings_revision_, revision) == revision) return;
  const auto before = rate_.rate();
  rate_.set_limits(stream_->viewer_settings()->control.rate);
  if (rate_.rate() == before || playing_.kind == Rendition::Kind::kRung) return;
  apply({.rate = rate_.rate(), .reason = abr::Reason::kLimits, .sustains = {}}, now);
}

void SegmentSession::apply(const abr::Decision& decision, base::Time now) {
  record_.add_decision(decision, now);
  stream_->metrics().decision(decision.reason);
  stream_->ladder().report(id_, decision, now);
}

/// A claim is no proof: a player that asks for a low rate, and could load a higher one, does not
/// make others watch it.
abr::Standing SegmentSession::standing(base::Time now) {
  if (!proof_.is_given(now)) return abr::Standing::kUnproven;
  const auto carries = rate_.throughput();
  const bool asks = playing_.kind == Rendition::Kind::kRung;
  return asks && carries && kModestRatio * rate_of(playing_) <= *carries ? abr::Standing::kModest
                                                                         : abr::Standing::kProven;
}

ViewerTelemetry SegmentSession::tick(base::Time now) {
  playlists_.forget_old(stream_->segments().revision());
  const auto group = stream_->ladder().group_of(id_).value_or(0);
  const auto served = stream_->ladder().rate_of(group);
  std::lock_guard lock{mutex_};
  if (!ended_) {
    follow_settings(now);
    stream_->ladder().set_standing(id_, standing(now), now);
  }
  const bool player_chooses = playing_.kind == Rendition::Kind::kRung;
  record_.update(group, served, player_chooses ? rate_of(playing_) : rate_.rate(), now);
  return record_.viewer();
}

}  // namespace app
