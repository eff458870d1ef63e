#include "transcoder/gst/gst_source.h"

#include <fmt/format.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <utility>

#include "base/log.h"
#include "transcoder/gst/gst_pipeline.h"
#include "transcoder/secrets.h"
#include "transcoder/time/loop_time.h"
#include "transcoder/time/pacer.h"

namespace transcoder {

namespace {

/// What Source::stop() promises, less a margin.
constexpr base::Duration kPatience = std::chrono::milliseconds{700};

/// Gaps shorter than this are nobody's concern: silence_timeout is longer.
constexpr base::Duration kLongGap = std::chrono::seconds{1};

/// Sources of all streams whose stop() was not waited for, and how many there may be: each keeps a
/// thread and a pipeline. A file on a share that hangs is tried a hundred times an hour.
std::atomic<int> abandoned = 0;
constexpr int kMostAbandoned = 16;

/// Something taken from the pipeline that waits for its time.
template <typename T>
struct Waiting {
  T item;
  base::Time due{};
};

}  // namespace

class GstSource::Session {
 public:
  Session(const SourceSettings& source, const VideoSettings& limits)
      : settings_{source}, limits_{limits}, is_file_{source.uri.starts_with("file:")} {}

  void run(Source::Listener& listener) {
    if (abandoned >= kMostAbandoned) {
      return listener.on_end(fmt::format("{} sources hang in GStreamer; restart", kMostAbandoned));
    }
    std::string reason;
    try {
      while (reason.empty() && !stopping()) reason = play(listener);
    } catch (const std::exception& error) {
      reason = error.what();
    }
    if (!stopping()) listener.on_end(std::move(reason));
  }

  void request_stop() {
    {
      std::lock_guard lock{mutex_};
      stopping_ = true;
    }
    changed_.notify_all();
  }

  void finished() {
    {
      std::lock_guard lock{mutex_};
      finished_ = true;
      if (abandoned_) --abandoned;
    }
    changed_.notify_all();
  }

  /// False when it has not finished by then; it is no longer waited for.
  bool wait_finished(base::Duration at_most) {
    std::unique_lock lock{mutex_};
    if (changed_.wait_for(lock, at_most, [this] { return finished_; })) return true;
    abandoned_ = true;
    ++abandoned;
    return false;
  }

 private:
  /// Builds a pipeline and plays it to its end, a file again and again. Returns why it ended;
  /// empty: build another one.
  std::string play(Source::Listener& listener) {
    GstPipeline pipeline{settings_, limits_, [this] { wake(); }};
    pipeline.play();
    live_ = pipeline.live();
    for (;;) {
      play_round(pipeline, listener);
      if (stopping()) return {};
      if (auto error = pipeline.error(); !error.empty()) return error;
      if (!is_file_) return "end of stream";
      if (!time_.any()) return "the file has no pictures";
      time_.next_round();
      picture_.reset();
      audio_.reset();
      if (!pipeline.rewind()) return {};
    }
  }

  /// Until the last picture has gone out; audio that is longer than the pictures is cut off.
  void play_round(GstPipeline& pipeline, Source::Listener& listener) {
    while (!stopping()) {
      take(pipeline, listener);
      if (!picture_ && (pipeline.ended() || !pipeline.error().empty())) return;
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
        const auto due = live_ ? now : pacer_.picture(frame->pts, now);
        if (due - now > kLongGap) listener.on_gap(due);
        picture_ = {std::move(*frame), due};
      }
    }
    if (!audio_ && time_.any()) {
      if (auto samples = pipeline.take_audio()) {
        samples->pts = *time_.audio(samples->pts);
        audio_ = {std::move(*samples), live_ ? now : *pacer_.audio(samples->pts)};
      }
    }
    if (const auto count = pipeline.take_unreadable()) listener.on_unreadable(count);
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

  void wait_woken() {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [this] { return woken_ || stopping_; });
    woken_ = false;
  }

  /// False when something came before, which may be due sooner.
  bool wait_until(base::Time due) {
    std::unique_lock lock{mutex_};
    if (due > base::Clock::now()) {
      changed_.wait_until(lock, due, [this] { return woken_ || stopping_; });
    }
    return !std::exchange(woken_, false) && !stopping_;
  }

  const SourceSettings settings_;
  const VideoSettings limits_;
  const bool is_file_;
  bool live_ = false;
  LoopTime time_;
  Pacer pacer_{is_file_ ? Pacer::Source::kFile : Pacer::Source::kNetwork};
  std::optional<Waiting<media::Frame>> picture_;
  std::optional<Waiting<media::Samples>> audio_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false;      // GUARDED_BY(mutex_)
  bool stopping_ = false;   // GUARDED_BY(mutex_)
  bool finished_ = false;   // GUARDED_BY(mutex_)
  bool abandoned_ = false;  // GUARDED_BY(mutex_)
};

GstSource::GstSource(const SourceSettings& source, const VideoSettings& limits)
    : name_{without_secrets(source.uri)}, session_{std::make_shared<Session>(source, limits)} {}

GstSource::~GstSource() { stop(); }

void GstSource::start(std::shared_ptr<Listener> listener) {
  thread_ = std::thread{[session = session_, listener = std::move(listener)] {
    session->run(*listener);
    session->finished();
  }};
}

void GstSource::stop() {
  if (!thread_.joinable()) return;
  session_->request_stop();
  if (session_->wait_finished(kPatience)) {
    thread_.join();
  } else {
    base::log::warning("source_abandoned",
                       {{"source", name_}, {"reason", "GStreamer does not stop it in time"}});
    thread_.detach();
  }
}

}  // namespace transcoder
