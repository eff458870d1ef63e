#include "transcoder/gst/gst_source.h"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <utility>

#include "transcoder/gst/gst_pipeline.h"
#include "transcoder/time/live_pacer.h"
#include "transcoder/time/loop_time.h"
#include "transcoder/time/pacer.h"
#include "transcoder/uri/host_lookup.h"
#include "transcoder/uri/source_file.h"

namespace transcoder {

namespace {

/// Shorter gaps are not reported; by default silence_timeout is longer.
constexpr base::Duration kMinReportedGap = std::chrono::seconds{1};

/// Longer waits make black pictures late, shorter ones cost CPU while nothing arrives.
constexpr base::Duration kMaxWait = std::chrono::milliseconds{500};

/// Data arrive at most 10 s before their time (ISO/IEC 13818-1, 2.4.2.6). Audio that is further
/// ahead has wrong timestamps, and would keep the audio after it waiting.
constexpr base::Duration kMaxAudioHold = std::chrono::seconds{10};

/// A picture or audio taken from the pipeline, until its release time.
template <typename T>
struct Waiting {
  T item;
  base::Time due{};
};

}  // namespace

class GstSource::Playback {
 public:
  Playback(const SourceSettings& source, const VideoSettings& limits, Keep keep)
      : settings_{source}, limits_{limits}, keep_{std::move(keep)}, is_file_{is_file(source.uri)} {}

  void run(Source::Listener& listener) {
    SourceEnd end;
    try {
      while (end.reason.empty() && !stopping()) end = play(listener);
      const bool failed = !time_.any() && end.cause == SourceEnd::Cause::kEnded;
      if (!stopping() && failed) {  // GStreamer's plugins do not all say that lookups fail
        if (auto failure = lookup_failure(settings_.uri); !failure.empty()) end.reason = failure;
      }
    } catch (const std::exception& error) {
      end.reason = error.what();
    }
    if (!stopping()) listener.on_end(std::move(end));
  }

  void request_stop() {
    {
      std::lock_guard lock{mutex_};
      stopping_ = true;
    }
    changed_.notify_all();
  }

  SourceReport report() const {
    std::lock_guard lock{mutex_};
    auto result = report_ ? report_->report(base::Clock::now()) : SourceReport{};
    result.wait = wait_;
    return result;
  }

 private:
  /// Builds a pipeline and plays it to its end; repeats a file. Returns why it ended,
  /// without a reason if another pipeline is to be built.
  SourceEnd play(Source::Listener& listener) {
    input_ = std::make_shared<InputReport>();
    {
      std::lock_guard lock{mutex_};
      report_ = input_;
    }
    GstPipeline pipeline{settings_, limits_, input_, [this] { wake(); }};
    pipeline.play();
    live_ = pipeline.live();
    for (;;) {
      play_round(pipeline, listener);
      if (stopping()) return {};
      if (auto error = pipeline.error(); !error.reason.empty()) return error;
      if (!is_file_) return {"end of stream"};
      if (!time_.any()) return {"the file has neither video nor audio"};
      time_.next_round();
      picture_.reset();
      audio_.reset();
      if (!pipeline.rewind()) return {};
    }
  }

  /// Plays until the last picture has been released; audio after it is cut off.
  void play_round(GstPipeline& pipeline, Source::Listener& listener) {
    while (!stopping()) {
      take(pipeline, listener);
      if (!picture_ && (pipeline.ended() || !pipeline.error().reason.empty())) return;
      const bool audio_first = audio_ && (!picture_ || audio_->due < picture_->due);
      if (!audio_first && !picture_) {
        wait_woken();
      } else if (wait_until(audio_first ? audio_->due : picture_->due)) {
        audio_first ? emit_audio(listener) : emit_picture(listener);
      }
    }
  }

  void take(GstPipeline& pipeline, Source::Listener& listener) {
    const auto now = base::Clock::now();
    if (!picture_) {
      if (auto frame = pipeline.take_frame()) {
        frame->pts = time_.picture(frame->pts);
        const auto due = release_time(frame->pts, now);
        if (due - now > kMinReportedGap) listener.on_gap(due);
        if (auto kept = keep_ ? keep_(*frame) : std::move(frame)) {
          picture_ = {std::move(*kept), due};
        } else {
          listener.on_dropped(1);
        }
      }
    }
    if (!audio_ && time_.any()) take_audio(pipeline, listener, now);
    if (const auto count = pipeline.take_unreadable()) listener.on_unreadable(count);
  }

  /// Passes audio that is too far ahead on at once: the listener drops and counts it.
  void take_audio(GstPipeline& pipeline, Source::Listener& listener, base::Time now) {
    while (auto samples = pipeline.take_audio()) {
      samples->pts = *time_.audio(samples->pts);
      const auto due = live_ ? live_pacer_.audio(samples->pts, now) : *pacer_.audio(samples->pts);
      if (due - now <= kMaxAudioHold || stopping()) {
        audio_ = {std::move(*samples), due};
        return;
      }
      listener.on_audio(std::move(*samples), now);
    }
  }

  base::Time release_time(media::Pts pts, base::Time now) {
    if (!live_) return pacer_.picture(pts, now);
    const auto due = live_pacer_.picture(pts, now, input_->even_since());
    wait_ = live_pacer_.wait();
    return due;
  }

  void emit_picture(Source::Listener& listener) {
    picture_->item.captured = picture_->due;
    listener.on_picture(std::move(picture_->item));
    picture_.reset();
  }

  void emit_audio(Source::Listener& listener) {
    listener.on_audio(std::move(audio_->item), audio_->due);
    audio_.reset();
  }

  void wake() {
    {
      std::lock_guard lock{mutex_};
      woken_ = true;
    }
    changed_.notify_all();
  }

  bool stopping() const {
    std::lock_guard lock{mutex_};
    return stopping_;
  }

  /// Not for ever: black pictures are due after a while, although nothing arrives.
  void wait_woken() {
    std::unique_lock lock{mutex_};
    changed_.wait_for(lock, kMaxWait, [this] { return woken_ || stopping_; });
    woken_ = false;
  }

  /// Returns false if something arrived meanwhile, because it may be due sooner.
  bool wait_until(base::Time due) {
    std::unique_lock lock{mutex_};
    if (due > base::Clock::now()) {
      changed_.wait_until(lock, due, [this] { return woken_ || stopping_; });
    }
    return !std::exchange(woken_, false) && !stopping_;
  }

  const SourceSettings settings_;
  const VideoSettings limits_;
  const Keep keep_;
  const bool is_file_;
  bool live_ = false;
  std::shared_ptr<InputReport> input_;  ///< of the pipeline
  LoopTime time_;
  Pacer pacer_{is_file_ ? Pacer::SourceKind::kFile : Pacer::SourceKind::kNetwork};
  LivePacer live_pacer_;
  std::atomic<base::Duration> wait_{};
  std::optional<Waiting<media::Frame>> picture_;
  std::optional<Waiting<media::Samples>> audio_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<InputReport> report_;  // GUARDED_BY(mutex_)
  bool woken_ = false;                   // GUARDED_BY(mutex_)
  bool stopping_ = false;                // GUARDED_BY(mutex_)
};

GstSource::GstSource(const SourceSettings& source, const VideoSettings& limits, Keep keep)
    : playback_{std::make_unique<Playback>(source, limits, std::move(keep))} {}

GstSource::~GstSource() { stop(); }

void GstSource::start(std::shared_ptr<Listener> listener) {
  thread_ = std::thread{[this, listener = std::move(listener)] { playback_->run(*listener); }};
}

SourceReport GstSource::report() const { return playback_->report(); }

void GstSource::stop() {
  if (!thread_.joinable()) return;
  playback_->request_stop();
  thread_.join();
}

}  // namespace transcoder
