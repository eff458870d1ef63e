#include "transcoder/ingest/supervisor.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "base/log.h"
#include "transcoder/ingest/make_source.h"
#include "transcoder/ingest/repeat_rule.h"
#include "transcoder/ingest/source_trouble.h"
#include "transcoder/secrets.h"

namespace transcoder {

namespace {

/// Audio that arrives earlier may belong to the time before the first picture. It is also the time
/// after which a trouble that is gone counts as gone.
constexpr base::Duration kAudioGrace = std::chrono::seconds{2};

/// A listener waits only this long before it listens again: its port is closed meanwhile, and
/// nobody is spared by a longer wait. SRT callers repeat their handshake every 250 ms.
constexpr base::Duration kListenerWait = std::chrono::milliseconds{100};

/// And this long if nothing has come: it probably could not listen, since another program has the
/// port. A sender finds the port open a second after it is free.
constexpr base::Duration kTakenPortWait = std::chrono::seconds{1};

/// A sentence for the operator; empty if there is no trouble.
std::string weightiest(const std::map<SourceTrouble, std::string>& troubles) {
  if (troubles.empty()) return {};
  const auto& [trouble, detail] = *troubles.begin();
  return describe(trouble, detail);
}

}  // namespace

Supervisor::Supervisor(std::string stream, std::string source_name, const SourceSettings& settings,
                       MakeSource make_source, std::shared_ptr<IngestOutput> output)
    : stream_{std::move(stream)},
      source_name_{std::move(source_name)},
      settings_{settings},
      make_source_{std::move(make_source)},
      output_{std::move(output)},
      waits_{waits_for_sender(settings.uri)},
      patience_{settings.silence_timeout, waits_},
      backoff_{settings.backoff_min, settings.backoff_max},
      trouble_log_{stream_} {
  state_.away_since = base::Clock::now();
}

Supervisor::~Supervisor() { stop(); }

void Supervisor::start() {
  thread_ = std::thread{[this] { run(); }};
}

void Supervisor::stop() {
  {
    std::lock_guard lock{mutex_};
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

bool Supervisor::pause(base::Duration duration) {
  std::unique_lock lock{mutex_};
  wake_.wait_for(lock, duration, [this] { return stopping_ || woken_; });
  woken_ = false;
  return !stopping_;
}

void Supervisor::note(SourceReport report, const Ingest::State& output, base::Duration played) {
  const auto dropped = output.audio_dropped_samples - audio_dropped_;
  audio_dropped_ = output.audio_dropped_samples;
  audio_off_ = !output.has_audio && (audio_off_ || (played > kAudioGrace && dropped > 0));
  if (audio_off_) report.troubles[SourceTrouble::kAudioOff];
  trouble_log_.note(report.troubles, played > kAudioGrace);
  const bool paced = report.wait > base::Duration{0};
  if (paced && !std::exchange(paced_, true)) {
    base::log::info(
        "source_sends_bursts",
        {{"stream", stream_},
         {"wait", report.wait},
         {"hint",
          "frames are held back to restore an even rhythm; make the sender send them evenly"}});
  }
  std::lock_guard lock{mutex_};
  state_.longest_wait = report.wait;
  state_.troubles = std::move(report.troubles);
  // A source that begins again within the connection counts from 0.
  const auto before = std::exchange(bytes_, report.bytes);
  state_.bytes += report.bytes < before ? report.bytes : report.bytes - before;
  state_.video_codec = std::move(report.video_codec);
  state_.audio_codec = std::move(report.audio_codec);
  state_.isolation = report.isolation;
  state_.use = report.use;
}

void Supervisor::run() {
  for (bool first = true; pause({}); first = false) {
    if (!first) {
      std::lock_guard lock{mutex_};
      ++state_.restarts;
    }
    play();
  }
}

/// One connection, from its start to its end and the wait after it.
void Supervisor::play() {
  {
    std::lock_guard lock{mutex_};
    state_.status = Ingest::Status::kConnecting;
  }
  output_->restart();
  const auto watch = std::make_shared<SourceWatch>(output_, base::Clock::now(), [this] {
    std::lock_guard lock{mutex_};
    woken_ = true;
    wake_.notify_all();
  });
  const auto source = make_source_();
  try {
    source->start(watch);
  } catch (const std::system_error& error) {
    const bool too_many = error.code() == std::errc::resource_unavailable_try_again;
    watch->on_end({fmt::format("cannot start the source: {}{}", error.code().message(),
                               too_many ? "; raise TasksMax= of the systemd unit" : ""),
                   SourceEnd::Cause::kStart});
  }
  const auto end = follow(*watch, *source);
  source->stop();
  watch->retire();
  if (end.why.reason.empty()) return;
  lost(end);
}

Supervisor::End Supervisor::follow(const SourceWatch& watch, const Source& source) {
  std::optional<base::Time> playing;
  const auto breaks_in = [](const Ingest::State& output) {
    return output.timeline_jumps + output.stalls;
  };
  std::uint64_t breaks = breaks_in(output_->state(base::Clock::now()));
  audio_off_ = paced_ = false;
  bytes_ = 0;
  Patience::Life life;
  RepeatRule repeats{base::Clock::now()};
  End end;
  while (end.why.reason.empty() && pause(kRepeatInterval)) {
    const auto now = base::Clock::now();
    const auto state = watch.state();
    if (state.has_picture && !playing) {
      playing = now;
      life.played = true;
      connected();
    }
    const bool sends = playing && !output_->stalled_since(now);
    if (const auto quiet = repeats.quiet(sends, now)) output_->repeat_after(*quiet, now);
    const auto output = output_->state(now);
    auto report = source.report();
    life.data = report.data.value_or(life.data);
    end.had_data = end.had_data || report.data || state.has_picture;
    // A picture after a jump or a stall is no sign of life: if all are, the clock is wrong.
    const auto before = std::exchange(breaks, breaks_in(output));
    const bool steady = breaks == before;
    if (steady && output.last_picture) life.picture = std::max(life.picture, *output.last_picture);
    life.picture = std::max(life.picture, report.preparing ? now : state.alive);
    if (playing) end.played = now - *playing;
    if (patience_.lacks_data(life, now)) report.troubles.emplace(SourceTrouble::kNoData, "");
    const auto trouble = weightiest(report.troubles);
    note(std::move(report), output, end.played);
    if (const auto time = patience_.exhausted(life, now)) {
      end.why = {fmt::format("no picture for {:g} s{}{}", base::seconds(*time),
                             trouble.empty() ? "" : ": ", trouble),
                 SourceEnd::Cause::kSilent};
    }
    if (state.end) end.why = *state.end;
  }
  return end;
}

void Supervisor::connected() {
  {
    std::lock_guard lock{mutex_};
    state_.status = Ingest::Status::kPlaying;
    state_.away_since.reset();
  }
  const auto format = output_->state(base::Clock::now()).format;
  const auto size = fmt::format("{}x{}", format.width, format.height);
  if (std::exchange(ever_played_, true)) {
    base::log::info(
        "source_restored",
        {{"stream", stream_}, {"away", base::Clock::now() - outage_.since}, {"size", size}});
  } else {
    base::log::info("source_connected",
                    {{"stream", stream_}, {"source", source_name_}, {"size", size}});
  }
  outage_ = {};
}

void Supervisor::lost(const End& end) {
  const auto reason = without_secrets(end.why.reason);
  const auto now = base::Clock::now();
  if (outage_.reason.empty()) outage_.since = now;
  const bool logged = std::exchange(outage_.reason, reason) == reason;
  {
    std::lock_guard lock{mutex_};
    state_.status = Ingest::Status::kWaiting;
    if (!state_.away_since) state_.away_since = output_->stalled_since(now).value_or(now);
    state_.last_error = reason;
    ++state_.ends[end.why.cause];
    state_.troubles.clear();
    state_.longest_wait = {};
    state_.video_codec.clear();
    state_.audio_codec.clear();
    state_.isolation.reset();
    state_.use.reset();
  }
  const auto wait = wait_after(end);
  if (!logged) {
    base::log::warning(
        "source_lost",
        {{"stream", stream_}, {"source", source_name_}, {"reason", reason}, {"retry_in", wait}});
  }
  wait_and_repeat(wait);
}

base::Duration Supervisor::wait_after(const End& end) {
  const bool harmless =
      end.why.cause == SourceEnd::Cause::kEnded || end.why.cause == SourceEnd::Cause::kSilent;
  if (waits_ && harmless) return end.had_data ? kListenerWait : kTakenPortWait;
  return backoff_.next(end.played, std::uniform_real_distribution{}(random_));
}

void Supervisor::wait_and_repeat(base::Duration wait) {
  const auto until = base::Clock::now() + wait;
  for (auto now = base::Clock::now(); now < until; now = base::Clock::now()) {
    if (!pause(std::min(kRepeatInterval, until - now))) return;
    output_->repeat_after(kRepeatInterval, base::Clock::now());
  }
}

Ingest::State Supervisor::state() const {
  const auto now = base::Clock::now();
  auto result = output_->state(now);
  std::lock_guard lock{mutex_};
  result.status = state_.status;
  result.away_since = state_.away_since;
  result.last_error = state_.last_error;
  result.restarts = state_.restarts;
  result.ends = state_.ends;
  result.longest_wait += state_.longest_wait;
  result.troubles = state_.troubles;
  result.bytes = state_.bytes;
  result.video_codec = state_.video_codec;
  result.audio_codec = state_.audio_codec;
  result.isolation = state_.isolation;
  result.use = state_.use;
  if (result.status == Ingest::Status::kConnecting && !result.troubles.empty()) {
    result.last_error = weightiest(result.troubles);
  }
  const auto stalled = output_->stalled_since(now);
  if (result.status == Ingest::Status::kPlaying && stalled) {
    result.status = Ingest::Status::kStalled;
    result.away_since = stalled;
    result.last_error = "it is connected, but no picture arrives";
  }
  return result;
}

}  // namespace transcoder
