#include "transcoder/gst/gst_pipeline.h"

#include <fmt/format.h>
#include <gst/app/gstappsink.h>
#include <gst/gst.h>

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "transcoder/gst/glib_log.h"
#include "transcoder/gst/gst_branch.h"
#include "transcoder/gst/gst_error.h"
#include "transcoder/gst/gst_input.h"
#include "transcoder/gst/gst_sample.h"
#include "transcoder/gst/handle.h"

namespace transcoder {

namespace {

using ElementHandle = Handle<GstElement, gst_object_unref>;
using PadHandle = Handle<GstPad, gst_object_unref>;
using CapsHandle = Handle<GstCaps, gst_caps_unref>;
using SampleHandle = Handle<GstSample, gst_sample_unref>;
using BusHandle = Handle<GstBus, gst_object_unref>;

void initialise() {
  capture_glib_log();
  GError* problem = nullptr;
  if (gst_init_check(nullptr, nullptr, &problem)) return;
  const Handle<GError, g_error_free> error{problem};
  throw std::runtime_error{fmt::format("GStreamer does not start: {}",
                                       error ? one_line(error->message) : "no reason given")};
}

ElementHandle own(GstElement* floating) {
  return ElementHandle{GST_ELEMENT(gst_object_ref_sink(floating))};
}

/// The media type of the pad, like "video/x-raw" or "audio/x-raw".
std::string_view media_type(GstPad* pad) {
  const CapsHandle now{gst_pad_get_current_caps(pad)};
  const CapsHandle caps{now ? gst_caps_ref(now.get()) : gst_pad_query_caps(pad, nullptr)};
  if (!caps || gst_caps_is_empty(caps.get()) || gst_caps_is_any(caps.get())) return {};
  return gst_structure_get_name(gst_caps_get_structure(caps.get(), 0));
}

}  // namespace

/// The conversion of one decoded track, up to its appsink.
struct Branch {
  explicit Branch(GstElement* bin)
      : element{own(bin)}, sink{gst_bin_get_by_name(GST_BIN(bin), "out")} {}

  SampleHandle take() const {
    return SampleHandle{gst_app_sink_try_pull_sample(GST_APP_SINK(sink.get()), 0)};
  }

  ElementHandle element;
  ElementHandle sink;
  std::atomic<bool> linked = false;
};

class GstPipeline::Impl {
 public:
  Impl(const SourceSettings& source, const VideoSettings& limits, std::function<void()> wake)
      : wake_{std::move(wake)},
        input_{own(make_input(source))},
        pictures_{make_picture_branch(limits)},
        audio_{make_audio_branch()} {
    gst_bin_add(GST_BIN(pipeline_.get()), input_.get());
    g_signal_connect(input_.get(), "pad-added", G_CALLBACK(on_pad), this);
    g_signal_connect(input_.get(), "no-more-pads", G_CALLBACK(on_no_more_pads), this);
    gst_bus_set_sync_handler(BusHandle{gst_element_get_bus(pipeline_.get())}.get(), on_message,
                             this, nullptr);
    GstAppSinkCallbacks callbacks{};
    callbacks.new_sample = on_sample;
    callbacks.eos = on_eos;
    gst_app_sink_set_callbacks(GST_APP_SINK(pictures_.sink.get()), &callbacks, this, nullptr);
    gst_app_sink_set_callbacks(GST_APP_SINK(audio_.sink.get()), &callbacks, this, nullptr);
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
      auto frame = as_frame(sample.get(), tone_map_);
      unreadable_ += !frame;
      if (!frame) continue;
      frame->pts = picture_time(sample.get());
      last_picture_ = frame->pts;
      return frame;
    }
    return std::nullopt;
  }

  std::optional<media::Samples> take_audio() {
    while (const auto sample = audio_.take()) {
      auto samples = as_samples(sample.get());
      unreadable_ += !samples;
      if (!samples || samples->values.empty()) continue;
      samples->pts = running_time(sample.get()).value_or(next_audio_);
      const auto count = static_cast<std::int64_t>(samples->values.size()) / media::kAudioChannels;
      next_audio_ = samples->pts + std::chrono::seconds{1} * count / media::kAudioRate;
      return samples;
    }
    return std::nullopt;
  }

  std::uint64_t take_unreadable() { return std::exchange(unreadable_, 0); }

  bool ended() const {
    return pictures_ended_ && gst_app_sink_is_eos(GST_APP_SINK(pictures_.sink.get()));
  }

  std::string error() const {
    std::lock_guard lock{mutex_};
    return error_;
  }

  bool rewind() {
    pictures_ended_ = false;
    return gst_element_seek_simple(pipeline_.get(), GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, 0) ==
           TRUE;
  }

 private:
  /// Some cameras (motion JPEG over HTTP) send no timestamps.
  base::Duration picture_time(GstSample* sample) const {
    if (const auto time = running_time(sample)) return *time;
    if (const auto interval = nominal_interval(sample)) return last_picture_ + *interval;
    return base::Clock::now() - started_;
  }

  /// Used by GStreamer's threads. GLib's locks make the constructor's writes visible to them. The
  /// load says so to ThreadSanitizer, which does not know those locks.
  static Impl& of(gpointer data) {
    Impl& self = *static_cast<Impl*>(data);
    (void)self.built_.load(std::memory_order_acquire);
    return self;
  }

  static void on_pad(GstElement*, GstPad* pad, gpointer data) {
    const auto type = media_type(pad);
    if (type.starts_with("video/")) of(data).link(pad, of(data).pictures_);
    if (type.starts_with("audio/")) of(data).link(pad, of(data).audio_);
  }

  static void on_no_more_pads(GstElement*, gpointer data) {
    if (of(data).pictures_.linked) return;
    of(data).fail("the source has no video, only audio or data");
  }

  static GstFlowReturn on_sample(GstAppSink*, gpointer data) {
    of(data).wake_();
    return GST_FLOW_OK;
  }

  static void on_eos(GstAppSink* sink, gpointer data) {
    auto& self = of(data);
    if (GST_ELEMENT(sink) == self.pictures_.sink.get()) self.pictures_ended_ = true;
    self.wake_();
  }

  /// Drops every message, because nothing else reads the bus.
  static GstBusSyncReply on_message(GstBus*, GstMessage* message, gpointer data) {
    auto& self = of(data);
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) self.fail(error_text(message));
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ELEMENT)
      self.note_missing(missing_plugin(message));
    gst_message_unref(message);
    return GST_BUS_DROP;
  }

  /// Links the first track of its kind, and another one only after the first has gone (a new
  /// programme).
  void link(GstPad* pad, Branch& branch) {
    GstElement* const bin = branch.element.get();
    if (!branch.linked.exchange(true)) {
      gst_bin_add(GST_BIN(pipeline_.get()), bin);
      gst_element_sync_state_with_parent(bin);
    }
    const PadHandle target{gst_element_get_static_pad(bin, "sink")};
    if (gst_pad_is_linked(target.get())) return;
    const auto result = gst_pad_link(pad, target.get());
    if (GST_PAD_LINK_SUCCESSFUL(result)) return;
    fail(fmt::format("GStreamer cannot convert '{}' ({})", media_type(pad),
                     gst_pad_link_get_name(result)));
  }

  void note_missing(std::string missing) {
    std::lock_guard lock{mutex_};
    if (missing_.empty()) missing_ = std::move(missing);
  }

  /// Keeps the first error; if there is no video track and a plugin is missing, reports the plugin.
  void fail(std::string text) {
    {
      std::lock_guard lock{mutex_};
      if (!error_.empty()) return;
      const bool missed = !missing_.empty() && !pictures_.linked;
      error_ = missed ? missing_plugin_text(missing_) : std::move(text);
    }
    wake_();
  }

  const std::function<void()> wake_;
  const ElementHandle pipeline_{own(gst_pipeline_new(nullptr))};
  const ElementHandle input_;
  Branch pictures_;
  Branch audio_;
  std::atomic<bool> built_ = false;
  std::atomic<bool> pictures_ended_ = false;
  bool live_ = false;
  base::Time started_{};
  base::Duration last_picture_{};
  base::Duration next_audio_{};
  std::uint64_t unreadable_ = 0;
  ToneMap tone_map_;

  mutable std::mutex mutex_;
  std::string error_;    // GUARDED_BY(mutex_)
  std::string missing_;  // GUARDED_BY(mutex_)
};

GstPipeline::GstPipeline(const SourceSettings& source, const VideoSettings& limits,
                         std::function<void()> wake) {
  initialise();
  impl_ = std::make_unique<Impl>(source, limits, std::move(wake));
}

GstPipeline::~GstPipeline() = default;

void GstPipeline::play() { impl_->play(); }
bool GstPipeline::live() const { return impl_->live(); }
std::optional<media::Frame> GstPipeline::take_frame() { return impl_->take_frame(); }
std::optional<media::Samples> GstPipeline::take_audio() { return impl_->take_audio(); }
std::uint64_t GstPipeline::take_unreadable() { return impl_->take_unreadable(); }
bool GstPipeline::ended() const { return impl_->ended(); }
std::string GstPipeline::error() const { return impl_->error(); }
bool GstPipeline::rewind() { return impl_->rewind(); }

}  // namespace transcoder
