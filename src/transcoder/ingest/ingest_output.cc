#include "transcoder/ingest/ingest_output.h"

#include <pthread.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/log.h"

namespace transcoder {

namespace {

/// Ingest::State::has_audio becomes false after this time without audio. Less would flicker when
/// audio arrives in bursts; more would report a lost track later.
constexpr base::Duration kAudioTimeout = std::chrono::seconds{1};

/// A source stalls after this many of its frame intervals, and after kFreezeTime. Fewer would
/// report the jitter of a slide show as an outage.
constexpr int kLateIntervals = 3;
/// A longer gap may be an outage, which is no frame interval.
constexpr base::Duration kMaxInterval = std::chrono::seconds{2};

/// Pictures that may wait for their time: Dejitter::kMaxWait at 60 per second. More would take more
/// memory (1.4 MB each at 720p) and could use up a decoder's pool. When it is full, the oldest does
/// not wait any longer.
constexpr std::size_t kMaxWaitingForTime = 30;

}  // namespace

IngestOutput::IngestOutput(std::string stream, const VideoSettings& video, StreamClock clock,
                           Ingest::Sink sink)
    : stream_{std::move(stream)},
      sink_{std::move(sink)},
      timeline_{clock},
      limit_{video.max_frame_rate},
      thread_{[this] { release_waiting(); }} {}

IngestOutput::~IngestOutput() {
  close();
  thread_.join();
}

void IngestOutput::picture(media::Frame picture) {
  std::lock_guard lock{mutex_};
  if (closed_) return;
  const auto pts = timeline_.picture(picture.pts, picture.captured);
  if (report_breaks(picture.captured)) forget_rhythm();
  if (!pts || !limit_.admit(*pts)) return count_drop();
  picture.pts = *pts;
  note_picture(picture.captured);
  const auto due = dejitter_.release(*pts, picture.captured);
  if (due <= picture.captured && waiting_.empty()) {
    return deliver(std::move(picture), &Ingest::State::frames);
  }
  picture.captured = due;
  waiting_.push_back({std::move(picture), due});
  changed_.notify_all();
}

/// Runs on thread_.
void IngestOutput::release_waiting() {
  pthread_setname_np(pthread_self(), "dejitter");
  std::unique_lock lock{mutex_};
  while (!closed_) {
    if (waiting_.empty()) {
      changed_.wait(lock);
    } else if (const auto due = waiting_.front().due;
               due > base::Clock::now() && waiting_.size() <= kMaxWaitingForTime) {
      changed_.wait_until(lock, due);
    } else {
      const auto picture = std::move(waiting_.front().picture);
      waiting_.pop_front();
      deliver(picture, &Ingest::State::frames);
    }
  }
}

/// The source has another clock from now on, or another delay.
void IngestOutput::forget_rhythm() {
  limit_.restart();
  dejitter_.restart();
}

void IngestOutput::note_picture(base::Time captured) {
  std::lock_guard lock{state_mutex_};
  interval_ = std::min(captured - previous_.value_or(captured), kMaxInterval);
  previous_ = state_.last_picture = captured;
}

std::optional<base::Time> IngestOutput::stalled_since(base::Time now) const {
  std::lock_guard lock{state_mutex_};
  if (!state_.last_picture) return {};
  const auto due = *state_.last_picture + std::max(kFreezeTime, kLateIntervals * interval_);
  return now > due ? std::optional{due} : std::nullopt;
}

void IngestOutput::deliver(media::Frame frame, std::uint64_t Ingest::State::*counter) {
  frame.number = number_++;
  frame.rate = limit_.rate();
  last_ = frame;
  delivered_ = frame.captured;
  {
    std::lock_guard lock{state_mutex_};
    ++(state_.*counter);
    state_.format = frame.format;
    state_.longest_wait = dejitter_.longest_wait();
  }
  sink_.frame(std::make_shared<const media::Frame>(std::move(frame)));
}

void IngestOutput::count_drop() {
  std::lock_guard lock{state_mutex_};
  ++state_.frames_dropped;
}

void IngestOutput::audio(media::Samples samples, base::Time captured) {
  std::lock_guard lock{mutex_};
  if (closed_) return;
  const auto pts = timeline_.audio(samples.pts, captured);
  {
    std::lock_guard state_lock{state_mutex_};
    if (pts) {
      last_audio_ = captured;
    } else {
      state_.audio_dropped_samples += samples.values.size() / media::kAudioChannels;
    }
  }
  if (!pts) return;
  samples.pts = *pts;
  sink_.samples(std::move(samples));
}

void IngestOutput::unreadable(std::uint64_t count) {
  std::lock_guard lock{state_mutex_};
  state_.unreadable += count;
}

void IngestOutput::dropped(std::uint64_t count) {
  std::lock_guard lock{state_mutex_};
  state_.frames_dropped += count;
}

void IngestOutput::restart() {
  std::lock_guard lock{mutex_};
  timeline_.restart();
  forget_rhythm();
  std::lock_guard state_lock{state_mutex_};
  previous_.reset();
}

void IngestOutput::repeat_after(base::Duration quiet, base::Time now) {
  std::lock_guard lock{mutex_};
  if (closed_ || !waiting_.empty() || last_.plane[0] == nullptr || now - delivered_ < quiet) return;
  // Set back by half of `quiet`, so that the pts of a picture that is only late is still larger.
  const auto pts = timeline_.repeat(now - quiet / 2);
  if (!pts || !limit_.admit(*pts)) return;
  media::Frame again = last_;
  again.pts = *pts;
  again.captured = now;
  deliver(std::move(again), &Ingest::State::frames_repeated);
}

void IngestOutput::close() {
  std::lock_guard lock{mutex_};
  closed_ = true;
  changed_.notify_all();
}

/// Returns whether there was a break since the last call.
bool IngestOutput::report_breaks(base::Time now) {
  const auto report = [&](Breaks& breaks, std::uint64_t total, const char* event) {
    const auto since = total - std::exchange(breaks.seen, total);
    if (const auto times = breaks.logged.count(now, since)) {
      base::log::warning(event, {{"stream", stream_}, {"times", *times}});
    }
    return since > 0;
  };
  const bool jumped = report(jumps_, timeline_.jumps(), "source_clock_jumped");
  const bool stalled = report(stalls_, timeline_.stalls(), "source_stalled");
  if (!jumped && !stalled) return false;
  std::lock_guard lock{state_mutex_};
  state_.timeline_jumps = timeline_.jumps();
  state_.stalls = timeline_.stalls();
  return true;
}

Ingest::State IngestOutput::state(base::Time now) const {
  std::lock_guard lock{state_mutex_};
  Ingest::State result = state_;
  result.has_audio = last_audio_ != base::Time{} && now - last_audio_ < kAudioTimeout;
  return result;
}

}  // namespace transcoder
