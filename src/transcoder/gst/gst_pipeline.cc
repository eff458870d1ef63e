#include "transcoder/gst/gst_pipeline.h"

#include <fmt/format.h>
#include <gst/app/gstappsink.h>
#include <gst/gst.h>

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "transcoder/gst/black_pictures.h"
#include "transcoder/gst/decoder_threads.h"
#include "transcoder/gst/glib_log.h"
#include "transcoder/gst/gst_branch.h"
#include "transcoder/gst/gst_error.h"
#include "transcoder/gst/gst_handles.h"
#include "transcoder/gst/gst_input.h"
#include "transcoder/gst/gst_sample.h"
#include "transcoder/gst/http_source.h"
#include "transcoder/gst/key_pictures.h"
#include "transcoder/gst/picture_guard.h"
#include "transcoder/gst/refusal.h"
#include "transcoder/handle.h"
#include "transcoder/uri/source_file.h"

namespace transcoder {

namespace {

using BusHandle = Handle<GstBus, gst_object_unref>;

/// Between the pictures of a file that tells neither times nor a rate: as ffmpeg assumes for them.
constexpr base::Duration kUntimedInterval = std::chrono::milliseconds{40};

void initialise() {
  capture_glib_log();
  GError* problem = nullptr;
  if (gst_init_check(nullptr, nullptr, &problem)) return register_http_source();
  const Handle<GError, g_error_free> error{problem};
  throw std::runtime_error{fmt::format("GStreamer does not start: {}",
                                       error ? one_line(error->message) : "no reason given")};
}

bool is_inside(GstObject* object, GstElement* bin) {
  return object == GST_OBJECT(bin) || gst_object_has_as_ancestor(object, GST_OBJECT(bin)) == TRUE;
}

}  // namespace

/// The conversion of one decoded track, up to its appsink.
struct Branch {
  explicit Branch(GstElement* bin)
      : element{own(bin)}, sink{gst_bin_get_by_name(GST_BIN(bin), "out")} {}

  SampleHandle take() const {
    return SampleHandle{gst_app_sink_try_pull_sample(GST_APP_SINK(sink.get()), 0)};
  }
  bool ended() const { return gst_app_sink_is_eos(GST_APP_SINK(sink.get())) == TRUE; }

  ElementHandle element;
  ElementHandle sink;
  std::atomic<bool> received_end = false;
};

class GstPipeline::Impl {
 public:
  Impl(const SourceSettings& source, const VideoSettings& limits,
       std::shared_ptr<InputReport> report, std::function<void()> wake)
      : is_file_{is_file(source.uri)},
        report_{std::move(report)},
        wake_{std::move(wake)},
        input_{make_input(source, report_)},
        pictures_{make_picture_branch(limits)},
        audio_{make_audio_branch()},
        black_{limits},
        max_size_{source.max_size},
        memory_{source.memory},
        max_rate_{limits.max_frame_rate} {
    g_signal_connect(pipeline_.get(), "deep-element-added", G_CALLBACK(on_element), this);
    gst_bin_add(GST_BIN(pipeline_.get()), input_.get());
    add(pictures_, "pictures");
    add(audio_, "audio");
    gst_bus_set_sync_handler(BusHandle{gst_element_get_bus(pipeline_.get())}.get(), on_message,
                             this, nullptr);
    built_.store(true, std::memory_order_release);
  }

  ~Impl() { gst_element_set_state(pipeline_.get(), GST_STATE_NULL); }

  void play() {
    started_ = base::Clock::now();
    live_ = gst_element_set_state(pipeline_.get(), GST_STATE_PAUSED) == GST_STATE_CHANGE_NO_PREROLL;
    if (gst_element_set_state(pipeline_.get(), GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE) {
      fail("GStreamer cannot start the source; check its URI");
    }
  }

  bool live() const { return live_; }

  std::optional<media::Frame> take_frame() {
    while (const auto sample = pictures_.take()) {
      report_->picture_decoded();
      black_.stop();
      report_->clear(SourceTrouble::kAudioOnly);
      auto frame = as_frame(sample.get(), tone_map_);
      unreadable_ += !frame;
      if (!frame) continue;
      frame->pts = picture_time(sample.get());
      last_picture_ = frame->pts;
      return frame;
    }
    return take_black();
  }

  std::optional<media::Samples> take_audio() {
    receive_audio();
    return std::exchange(next_samples_, std::nullopt);
  }

  std::uint64_t take_unreadable() { return std::exchange(unreadable_, 0); }

  bool ended() const {
    if (black_.started()) return audio_.received_end && audio_.ended() && !next_samples_;
    return pictures_.received_end && pictures_.ended();
  }

  SourceEnd error() const {
    std::lock_guard lock{mutex_};
    return error_;
  }

  bool rewind() {
    pictures_.received_end = audio_.received_end = false;
    const auto& leader = black_.started() ? audio_ : pictures_;
    black_.rewind();
    GstEvent* const seek = gst_event_new_seek(1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH,
                                              GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_NONE, -1);
    return gst_element_send_event(leader.sink.get(), seek) == TRUE;
  }

 private:
  void add(Branch& branch, const char* input_pad) {
    gst_bin_add(GST_BIN(pipeline_.get()), branch.element.get());
    gst_element_link_pads(input_.get(), input_pad, branch.element.get(), "sink");
    GstAppSinkCallbacks callbacks{};
    callbacks.new_sample = on_sample;
    callbacks.eos = on_eos;
    gst_app_sink_set_callbacks(GST_APP_SINK(branch.sink.get()), &callbacks, this, nullptr);
  }

  /// Some cameras (motion JPEG over HTTP) send no timestamps, and a file of such data has none.
  base::Duration picture_time(GstSample* sample) const {
    if (const auto time = running_time(sample)) return *time;
    if (const auto interval = nominal_interval(sample)) return last_picture_ + *interval;
    return is_file_ ? last_picture_ + kUntimedInterval : base::Clock::now() - started_;
  }

  void receive_audio() {
    while (!next_samples_) {
      const auto sample = audio_.take();
      if (!sample) return;
      auto samples = as_samples(sample.get());
      unreadable_ += !samples;
      if (!samples || samples->values.empty()) continue;
      samples->pts = running_time(sample.get()).value_or(next_audio_);
      const auto count = static_cast<std::int64_t>(samples->values.size()) / media::kAudioChannels;
      next_audio_ = samples->pts + std::chrono::seconds{1} * count / media::kAudioRate;
      next_samples_ = std::move(samples);
    }
  }

  /// A black picture, if one is due by the audio and no others arrive.
  std::optional<media::Frame> take_black() {
    if (report_->has_track(TrackKind::kPictures)) return std::nullopt;
    receive_audio();
    if (!next_samples_) return std::nullopt;
    const bool complete = audio_.received_end;
    if (!black_.start(base::Clock::now(), complete)) return std::nullopt;
    report_->raise(SourceTrouble::kAudioOnly);
    return black_.next(next_samples_->pts);
  }

  /// Used by GStreamer's threads. GLib's locks make the constructor's writes visible to them. The
  /// load says so to ThreadSanitizer, which does not know those locks.
  static Impl& of(gpointer data) {
    Impl& self = *static_cast<Impl*>(data);
    (void)self.built_.load(std::memory_order_acquire);
    return self;
  }

  /// Called for each element of the pipeline, before it starts.
  static void on_element(GstBin*, GstBin*, GstElement* element, gpointer data) {
    const auto& self = *static_cast<const Impl*>(data);
    guard_pictures(element, self.max_size_, self.report_);
    limit_key_pictures(element, self.max_rate_, self.report_);
    limit_threads(element, self.memory_);
  }

  static GstFlowReturn on_sample(GstAppSink*, gpointer data) {
    of(data).wake_();
    return GST_FLOW_OK;
  }

  static void on_eos(GstAppSink* sink, gpointer data) {
    auto& self = of(data);
    const bool pictures = GST_ELEMENT(sink) == self.pictures_.sink.get();
    (pictures ? self.pictures_ : self.audio_).received_end = true;
    self.wake_();
  }

  /// Drops every message, because nothing else reads the bus.
  static GstBusSyncReply on_message(GstBus*, GstMessage* message, gpointer data) {
    auto& self = of(data);
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) self.note_error(message);
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ELEMENT) self.note_missing(message);
    gst_message_unref(message);
    return GST_BUS_DROP;
  }

  /// Trouble with audio costs the audio: a TrackChain keeps that of its decoder to itself.
  void note_error(GstMessage* message) {
    if (is_inside(GST_MESSAGE_SRC(message), audio_.element.get())) return;
    auto text = error_text(message);
    if (is_refusal(message)) report_->refuse(text);
    if (is_unreadable(message) && report_->has_data() && !report_->decoded()) {
      text = "the source sends data that cannot be decoded as audio or video";
    }
    fail(std::move(text));
  }

  void note_missing(GstMessage* message) {
    auto missing = missing_plugin(message);
    if (missing.empty()) return;
    std::lock_guard lock{mutex_};
    if (missing_.empty()) missing_ = std::move(missing);
  }

  /// Keeps the first error; if no picture was decoded and a plugin is missing, reports the plugin.
  void fail(std::string text) {
    const bool decoded = report_->decoded();
    const auto refusal = report_->refusal();
    {
      std::lock_guard lock{mutex_};
      if (!error_.reason.empty()) return;
      const bool missed = !missing_.empty() && !decoded;
      error_.reason = missed ? missing_plugin_text(missing_) : std::move(text);
      if (!refusal.empty()) error_ = {refusal, SourceEnd::Cause::kRefused};
    }
    wake_();
  }

  const bool is_file_;
  const std::shared_ptr<InputReport> report_;
  const std::function<void()> wake_;
  const ElementHandle pipeline_{own(gst_pipeline_new(nullptr))};
  const ElementHandle input_;
  Branch pictures_;
  Branch audio_;
  std::atomic<bool> built_ = false;
  bool live_ = false;
  base::Time started_{};
  base::Duration last_picture_{};
  base::Duration next_audio_{};
  std::optional<media::Samples> next_samples_;
  BlackPictures black_;
  std::uint64_t unreadable_ = 0;
  ToneMap tone_map_;
  const PictureSize max_size_;
  const base::ByteCount memory_;
  const double max_rate_;

  mutable std::mutex mutex_;
  SourceEnd error_;      // GUARDED_BY(mutex_)
  std::string missing_;  // GUARDED_BY(mutex_)
};

GstPipeline::GstPipeline(const SourceSettings& source, const VideoSettings& limits,
                         std::shared_ptr<InputReport> report, std::function<void()> wake) {
  initialise();
  impl_ = std::make_unique<Impl>(source, limits, std::move(report), std::move(wake));
}

GstPipeline::~GstPipeline() = default;

void GstPipeline::play() { impl_->play(); }
bool GstPipeline::live() const { return impl_->live(); }
std::optional<media::Frame> GstPipeline::take_frame() { return impl_->take_frame(); }
std::optional<media::Samples> GstPipeline::take_audio() { return impl_->take_audio(); }
std::uint64_t GstPipeline::take_unreadable() { return impl_->take_unreadable(); }
bool GstPipeline::ended() const { return impl_->ended(); }
SourceEnd GstPipeline::error() const { return impl_->error(); }
bool GstPipeline::rewind() { return impl_->rewind(); }

}  // namespace transcoder
