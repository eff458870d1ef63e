#include "transcoder/gst/track_chain.h"

#include <gst/gst.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "transcoder/gst/decoder_retry.h"
#include "transcoder/gst/gst_element.h"
#include "transcoder/gst/gst_error.h"
#include "transcoder/gst/gst_handles.h"
#include "transcoder/gst/track_description.h"
#include "transcoder/handle.h"
#include "transcoder/time/source_time.h"

namespace transcoder {

namespace {

using BufferHandle = Handle<GstBuffer, gst_buffer_unref>;
using BusHandle = Handle<GstBus, gst_object_unref>;

constexpr auto kData =
    static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST);
constexpr auto kEvents = static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM |
                                                      GST_PAD_PROBE_TYPE_EVENT_FLUSH);

bool is_fatal(GstFlowReturn result) {
  return result <= GST_FLOW_NOT_NEGOTIATED || result == GST_FLOW_NOT_LINKED;
}

/// The size of the buffer or the buffer list of a probe.
std::size_t size_of(GstPadProbeInfo* info) {
  return (info->type & GST_PAD_PROBE_TYPE_BUFFER) != 0
             ? gst_buffer_get_size(GST_PAD_PROBE_INFO_BUFFER(info))
             : gst_buffer_list_calculate_size(GST_PAD_PROBE_INFO_BUFFER_LIST(info));
}

/// The codec of a format. Parsers and decoders accept other parameters of the same codec.
std::string codec_of(GstEvent* caps_event) {
  GstCaps* caps = nullptr;
  gst_event_parse_caps(caps_event, &caps);
  const GstStructure* const format = gst_caps_get_structure(caps, 0);
  int version = 0;
  gst_structure_get_int(format, "mpegversion", &version);
  return gst_structure_get_name(format) + std::to_string(version);
}

std::optional<base::Duration> signed_running_time(const GstSegment& segment, GstClockTime time) {
  guint64 running = 0;
  const int sign = gst_segment_to_running_time_full(&segment, GST_FORMAT_TIME, time, &running);
  return source_time(sign, running);
}

}  // namespace

class TrackChain::Impl {
 public:
  Impl(GstElement* bin, GstPad* from, std::optional<TrackKind> kind, Outlet outlet, OnEnd on_end,
       std::shared_ptr<TrackJoiner> joiner, std::shared_ptr<InputReport> report)
      : bin_{bin},
        from_{GST_PAD(gst_object_ref(from))},
        kind_{kind},
        outlet_{std::move(outlet)},
        on_end_{std::move(on_end)},
        joiner_{std::move(joiner)},
        report_{std::move(report)} {
    if (kind) outlets_.emplace_back(*kind, outlet_(*kind));
    gst_segment_init(&segment_, GST_FORMAT_UNDEFINED);
    built_.store(true, std::memory_order_release);
  }

  /// From now on other threads may use the chain.
  void start() {
    make_decoder();
    built_.store(true, std::memory_order_release);  // the decoder, too
    probe_ = gst_pad_add_probe(from_.get(), static_cast<GstPadProbeType>(kData | kEvents), on_data,
                               this, nullptr);
  }

  bool ended() const {
    const bool out = broken_ || ended_outputs_ >= outputs_;
    return out && (pulls() ? outputs_ > 0 : end_taken_.load());
  }

  const std::vector<std::pair<TrackKind, GstPad*>>& outlets() const { return outlets_; }

  TrackHealth health() const {
    if (decoded_) return TrackHealth::kDecoded;
    if (undecodable_) return TrackHealth::kNoDecoder;
    if (has_failed_) return TrackHealth::kBroken;
    return arrived_ ? TrackHealth::kNotDecoded : TrackHealth::kNoData;
  }

  void hold() {
    std::lock_guard lock{mutex_};
    held_ = true;
  }

  void proceed() {
    std::vector<std::pair<PadHandle, gulong>> blocks;
    {
      std::lock_guard lock{mutex_};
      held_ = false;
      blocks.swap(blocks_);
    }
    for (const auto& [pad, block] : blocks) gst_pad_remove_probe(pad.get(), block);
  }

  void abandon() { abandoned_ = true; }

  void end() {
    if (!decoder_) return;
    const PadHandle sink{gst_element_get_static_pad(decoder_.get(), "sink")};
    gst_pad_send_event(sink.get(), gst_event_new_eos());
  }

  void remove() {
    gst_pad_remove_probe(from_.get(), probe_);
    remove_decoder();
  }

 private:
  /// See GstPipeline::Impl::of().
  static Impl& of(gpointer data) {
    Impl& self = *static_cast<Impl*>(data);
    (void)self.built_.load(std::memory_order_acquire);
    return self;
  }

  void make_decoder() {
    settled_ = interrupted_ = outdated_ = false;
    GstElement* const decoder = make_element("decodebin");
    g_object_set(decoder, "async-handling", TRUE, nullptr);
    g_signal_connect(decoder, "pad-added", G_CALLBACK(on_decoded), this);
    decoder_.reset(GST_ELEMENT(gst_object_ref_sink(decoder)));
    add_to(bin_, decoder);
    take_messages(decoder);
    const PadHandle sink{gst_element_get_static_pad(decoder, "sink")};
    if (kind_ == TrackKind::kAudio) shield(sink.get());
    event_ = GST_PAD_EVENTFUNC(sink.get());
    gst_pad_set_event_function_full(sink.get(), on_event, this, nullptr);
    gst_pad_link(from_.get(), sink.get());
    start_in_bin(decoder);
  }

  /// The decoder's messages pass through here before its bin sees them. A bin takes an error for a
  /// failed state change and may never reach its next state, so an error that costs this track
  /// alone stays here. Nor does the bin wait for the decoder's first data ("async-handling"): a
  /// file that begins again at that moment takes them away.
  void take_messages(GstElement* decoder) {
    const BusHandle bus{GST_BUS(g_object_new(GST_TYPE_BUS, "enable-async", FALSE, nullptr))};
    gst_bus_set_sync_handler(bus.get(), on_message, this, nullptr);
    gst_element_set_bus(decoder, bus.get());
  }

  static GstBusSyncReply on_message(GstBus*, GstMessage* message, gpointer data) {
    auto& self = of(data);
    if (self.answers(message)) {
      gst_message_unref(message);
    } else {
      GST_BIN_GET_CLASS(self.bin_)->handle_message(GST_BIN(self.bin_), message);
    }
    return GST_BUS_DROP;
  }

  /// Returns false if the message is for the whole source.
  bool answers(GstMessage* message) {
    switch (GST_MESSAGE_TYPE(message)) {
      case GST_MESSAGE_ASYNC_DONE:  // of a start that the bin was not told
        return true;
      case GST_MESSAGE_ERROR:
        return failed(error_text(message));
      case GST_MESSAGE_ELEMENT: {
        const auto missing = missing_plugin(message);
        return !missing.empty() && undecodable(missing);
      }
      default:
        return false;
    }
  }

  bool failed(const std::string& why) {
    if (interrupted_ || abandoned_) return true;
    if (kind_ != TrackKind::kAudio) return false;
    {
      std::lock_guard lock{mutex_};
      if (broken_) return true;
      retry_at_ = retry_.failed(base::Clock::now());
      broken_ = has_failed_ = true;
    }
    if (!undecodable_) report_->raise(SourceTrouble::kAudioBroken, why);
    return true;
  }

  bool undecodable(const std::string& plugin) {
    if (interrupted_) return true;
    if (kind_ != TrackKind::kAudio) return false;
    undecodable_ = true;
    report_->raise(SourceTrouble::kNoAudioDecoder, plugin);
    return true;
  }

  /// Whether the decodebin still looks for its elements.
  bool sets_up() const { return !settled_ && !broken_ && !undecodable_; }

  void remove_decoder() {
    const auto decoder = std::exchange(decoder_, nullptr);
    if (!decoder) return;
    gst_element_set_locked_state(decoder.get(), TRUE);
    gst_element_set_state(decoder.get(), GST_STATE_NULL);
    gst_bin_remove(GST_BIN(bin_), decoder.get());
    outputs_ = ended_outputs_ = 0;
  }

  /// The end is only known to have passed all elements when they return from it.
  static gboolean on_event(GstPad* pad, GstObject* parent, GstEvent* event) {
    auto& self = of(pad->eventdata);
    const bool end = GST_EVENT_TYPE(event) == GST_EVENT_EOS && !self.draining_;
    // tsdemux ends a track before it takes its pad away. A parser without a frame has an error
    // then.
    if (end) self.abandoned_ = true;
    const gboolean result = self.event_(pad, parent, event);
    if (end) {
      self.end_taken_ = true;
      self.note_end();
    }
    return result;
  }

  /// Whether the decoder reads for itself. No events come from the pad then.
  bool pulls() const { return GST_PAD_MODE(from_.get()) == GST_PAD_MODE_PULL; }

  void note_end() {
    if (ended()) on_end_(pulls());
  }

  /// Keeps errors of the chain from the demuxer, which would end the source.
  void shield(GstPad* sink) {
    chain_ = GST_PAD_CHAINFUNC(sink);
    chain_list_ = GST_PAD_CHAINLISTFUNC(sink);
    gst_pad_set_chain_function_full(sink, on_chain, this, nullptr);
    gst_pad_set_chain_list_function_full(sink, on_chain_list, this, nullptr);
  }

  GstFlowReturn shielded(GstFlowReturn result) {
    if (!is_fatal(result)) return result;
    failed(result == GST_FLOW_NOT_NEGOTIATED ? unwanted_format() : gst_flow_get_name(result));
    return GST_FLOW_OK;
  }

  /// Why nothing takes the audio.
  std::string unwanted_format() {
    std::lock_guard lock{mutex_};
    const auto what = decoded_pad_ ? describe_samples(decoded_pad_.get()) : std::string{};
    return what.empty() ? "its format is not supported" : what + " are not supported";
  }

  static GstFlowReturn on_chain(GstPad* pad, GstObject* parent, GstBuffer* buffer) {
    auto& self = of(pad->chaindata);
    return self.shielded(self.chain_(pad, parent, buffer));
  }

  static GstFlowReturn on_chain_list(GstPad* pad, GstObject* parent, GstBufferList* list) {
    auto& self = of(pad->chainlistdata);
    return self.shielded(self.chain_list_(pad, parent, list));
  }

  static void on_decoded(GstElement*, GstPad* pad, gpointer data) {
    auto& self = of(data);
    const auto kind = raw_kind(pad);
    if (!kind || (self.kind_ && self.kind_ != kind)) return;
    GstPad* const out = self.kind_ ? self.outlets_.front().second : self.outlet_(*kind);
    if (out == nullptr || gst_pad_is_linked(out)) return;
    if (!self.kind_) self.outlets_.emplace_back(*kind, out);
    ++self.outputs_;
    gst_pad_add_probe(pad, kEvents, on_decoded_event, data, nullptr);
    gst_pad_add_probe(pad, kData, on_decoded_data, data, nullptr);
    self.block_if_held(pad);
    {
      std::lock_guard lock{self.mutex_};
      self.decoded_pad_.reset(GST_PAD(gst_object_ref(pad)));
    }
    gst_pad_link(pad, out);
    self.report_->decodes(*kind, describe_codec(self.from_.get()));
    if (kind == TrackKind::kAudio) {
      self.report_->clear(SourceTrouble::kAudioBroken);
      self.report_->clear(SourceTrouble::kNoAudioDecoder);
    }
  }

  void block_if_held(GstPad* pad) {
    std::lock_guard lock{mutex_};
    if (!held_) return;
    const auto block = gst_pad_add_probe(
        pad, GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM,
        [](GstPad*, GstPadProbeInfo*, gpointer) { return GST_PAD_PROBE_OK; }, nullptr, nullptr);
    blocks_.emplace_back(GST_PAD(gst_object_ref(pad)), block);
  }

  /// Runs at the first data of each decoder.
  static GstPadProbeReturn on_decoded_data(GstPad*, GstPadProbeInfo*, gpointer data) {
    auto& self = of(data);
    self.decoded_ = self.settled_ = true;
    std::lock_guard lock{self.mutex_};
    self.retry_.decoded(base::Clock::now());
    return GST_PAD_PROBE_REMOVE;
  }

  static GstPadProbeReturn on_decoded_event(GstPad*, GstPadProbeInfo* info, gpointer data) {
    const auto type = GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info));
    if (type == GST_EVENT_FLUSH_STOP) of(data).ended_outputs_ = 0;
    if (type == GST_EVENT_EOS && of(data).draining_) return GST_PAD_PROBE_DROP;
    if (type == GST_EVENT_EOS) {
      ++of(data).ended_outputs_;
      of(data).note_end();
    }
    return GST_PAD_PROBE_OK;
  }

  /// Runs before data and events enter the decoder.
  static GstPadProbeReturn on_data(GstPad*, GstPadProbeInfo* info, gpointer data) {
    auto& self = of(data);
    if ((info->type & kEvents) != 0) return self.take_event(GST_PAD_PROBE_INFO_EVENT(info));
    self.arrived_ = true;
    if (self.kind_) self.report_->track_arrived(*self.kind_);
    self.report_->media_arrived(size_of(info));
    if (self.interrupted_ || self.outdated_) {
      self.replace_decoder();
    } else if (self.broken_ && !self.revive()) {
      return GST_PAD_PROBE_DROP;
    }
    if ((info->type & GST_PAD_PROBE_TYPE_BUFFER) != 0) {
      info->data = self.joined(GST_PAD_PROBE_INFO_BUFFER(info));
    }
    return GST_PAD_PROBE_OK;
  }

  /// qtdemux changes the codec of a pad with another initialization section. The old decoder would
  /// refuse the new format, which the new one gets from the pad.
  GstPadProbeReturn take_event(GstEvent* event) {
    if (GST_EVENT_TYPE(event) == GST_EVENT_CAPS && kind_) {
      const auto before = std::exchange(codec_, codec_of(event));
      if (!before.empty() && before != codec_) {
        outdated_ = true;
        report_->tracks_changed();
        undecodable_ = false;
      }
      if (outdated_) return GST_PAD_PROBE_DROP;
    }
    note(event);
    return GST_PAD_PROBE_OK;
  }

  void note(GstEvent* event) {
    std::lock_guard lock{mutex_};
    if (GST_EVENT_TYPE(event) == GST_EVENT_SEGMENT) gst_event_copy_segment(event, &segment_);
    if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_START && kind_ && sets_up()) interrupted_ = true;
    if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP) {
      place_ = {};
      abandoned_ = end_taken_ = false;
      ended_outputs_ = 0;
    }
  }

  bool revive() {
    if (undecodable_ || base::Clock::now() < retry_at_.load()) return false;
    replace_decoder();
    return true;
  }

  void replace_decoder() {
    if (outdated_ && settled_) drain();
    remove_decoder();
    broken_ = false;
    make_decoder();
  }

  /// Takes the last data out of the decoder. The track does not end.
  void drain() {
    draining_ = true;
    end();
    draining_ = false;
  }

  GstBuffer* joined(GstBuffer* buffer) {
    std::lock_guard lock{mutex_};
    const auto time = GST_BUFFER_DTS_OR_PTS(buffer);
    if (!GST_CLOCK_TIME_IS_VALID(time) || segment_.format != GST_FORMAT_TIME) return buffer;
    const auto running = signed_running_time(segment_, time);
    if (!running) return buffer;
    const auto length = GST_BUFFER_DURATION_IS_VALID(buffer) ? GST_BUFFER_DURATION(buffer) : 0;
    const auto offset =
        joiner_->offset(place_, *running, source_time(1, length).value_or(base::Duration{}));
    if (offset == base::Duration{0}) return buffer;
    GstBuffer* const moved = gst_buffer_make_writable(buffer);
    const auto by = static_cast<GstClockTimeDiff>(offset.count());
    if (GST_BUFFER_PTS_IS_VALID(moved)) GST_BUFFER_PTS(moved) += by;
    if (GST_BUFFER_DTS_IS_VALID(moved)) GST_BUFFER_DTS(moved) += by;
    return moved;
  }

  GstElement* const bin_;
  const PadHandle from_;
  const std::optional<TrackKind> kind_;
  const Outlet outlet_;
  const OnEnd on_end_;
  const std::shared_ptr<TrackJoiner> joiner_;
  const std::shared_ptr<InputReport> report_;
  std::vector<std::pair<TrackKind, GstPad*>> outlets_;
  gulong probe_ = 0;
  ElementHandle decoder_;
  GstPadChainFunction chain_ = nullptr;
  GstPadChainListFunction chain_list_ = nullptr;
  GstPadEventFunction event_ = nullptr;
  std::atomic<base::Time> retry_at_{};
  std::atomic<bool> broken_ = false;
  std::atomic<bool> undecodable_ = false;
  std::atomic<bool> has_failed_ = false;
  std::atomic<bool> arrived_ = false;  ///< data
  std::atomic<bool> decoded_ = false;
  std::atomic<bool> settled_ = false;  ///< this decoder has decoded data
  /// A flush came while the decodebin was being set up, which it takes for failures of its
  /// elements.
  std::atomic<bool> interrupted_ = false;
  std::atomic<bool> abandoned_ = false;
  std::atomic<bool> outdated_ = false;  ///< the codec has changed
  std::atomic<bool> draining_ = false;
  std::string codec_;                    ///< used on the track's thread
  std::atomic<bool> end_taken_ = false;  ///< by the decoder
  std::atomic<int> outputs_ = 0;         ///< decoded tracks
  std::atomic<int> ended_outputs_ = 0;
  std::atomic<bool> built_ = false;

  std::mutex mutex_;          // a seek flushes on another thread than that of the data
  DecoderRetry retry_;        // GUARDED_BY(mutex_)
  PadHandle decoded_pad_;     // GUARDED_BY(mutex_); the last one
  GstSegment segment_{};      // GUARDED_BY(mutex_)
  TrackJoiner::Track place_;  // GUARDED_BY(mutex_)
  bool held_ = false;         // GUARDED_BY(mutex_)
  std::vector<std::pair<PadHandle, gulong>> blocks_;  // GUARDED_BY(mutex_)
};

TrackChain::TrackChain(GstElement* bin, GstPad* from, std::optional<TrackKind> kind, Outlet outlet,
                       OnEnd on_end, std::shared_ptr<TrackJoiner> joiner,
                       std::shared_ptr<InputReport> report)
    : impl_{std::make_unique<Impl>(bin, from, kind, std::move(outlet), std::move(on_end),
                                   std::move(joiner), std::move(report))} {
  impl_->start();
}

TrackChain::~TrackChain() = default;

bool TrackChain::ended() const { return impl_->ended(); }
TrackHealth TrackChain::health() const { return impl_->health(); }
void TrackChain::hold() { impl_->hold(); }
void TrackChain::proceed() { impl_->proceed(); }
void TrackChain::abandon() { impl_->abandon(); }
void TrackChain::end() { impl_->end(); }
const std::vector<std::pair<TrackKind, GstPad*>>& TrackChain::outlets() const {
  return impl_->outlets();
}
void TrackChain::remove() { impl_->remove(); }

}  // namespace transcoder
