#include "transcoder/gst/track_input.h"

#include <gst/gst.h>

#include <algorithm>
#include <atomic>
#include <list>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "transcoder/gst/avi_times.h"
#include "transcoder/gst/demuxer.h"
#include "transcoder/gst/fragment_tracks.h"
#include "transcoder/gst/gst_element.h"
#include "transcoder/gst/handle.h"
#include "transcoder/gst/source_uri.h"
#include "transcoder/gst/track_chain.h"
#include "transcoder/gst/track_choice.h"
#include "transcoder/gst/track_description.h"

namespace transcoder {

namespace {

using PadHandle = Handle<GstPad, gst_object_unref>;
using CapsHandle = Handle<GstCaps, gst_caps_unref>;

/// Interleaved tracks are queued up to this size while one of them has nothing: 8 s of 10 Mbit/s.
constexpr guint kMaxQueueBytes = 10 << 20;

/// The same in frames, for senders that do not wait, so that a burst fits (LivePacer): 10 s of 60
/// per second. Of others GStreamer's 5 are enough.
constexpr guint kMaxDatagramFrames = 600;

/// Containers within containers: ID3 tags before a transport stream are two. A source that nests
/// more is made to exhaust the stack.
constexpr int kMaxDemuxers = 16;

/// Each change of tracks makes chains, whose threads stay until the source is connected anew. A
/// source that changes more often is connected anew.
constexpr std::size_t kMaxChains = 64;

constexpr auto kTrackData =
    static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST);

/// The timestamp of the data in a probe.
std::optional<base::Duration> first_time(GstPadProbeInfo* info) {
  const bool list = (info->type & GST_PAD_PROBE_TYPE_BUFFER_LIST) != 0;
  GstBuffer* const buffer = list ? gst_buffer_list_get(GST_PAD_PROBE_INFO_BUFFER_LIST(info), 0)
                                 : GST_PAD_PROBE_INFO_BUFFER(info);
  if (buffer == nullptr || !GST_BUFFER_PTS_IS_VALID(buffer)) return std::nullopt;
  return base::Duration{static_cast<base::Duration::rep>(GST_BUFFER_PTS(buffer))};
}

}  // namespace

class TrackInput::Impl {
 public:
  Impl(GstElement* bin, const SourceSettings& source, std::shared_ptr<InputReport> report)
      : bin_{bin},
        datagrams_{comes_in_datagrams(source.uri)},
        audio_{source.audio == "none" ? source.audio : language_code(source.audio.c_str())},
        report_{std::move(report)} {
    for (const auto kind : kTrackKinds) {
      GstElement* const funnel = make_element("funnel");
      gst_bin_add(GST_BIN(bin), funnel);
      funnel_[static_cast<int>(kind)] = funnel;
      const PadHandle pad{gst_element_get_static_pad(funnel, "src")};
      gst_element_add_pad(
          bin, gst_ghost_pad_new(kind == TrackKind::kPictures ? "pictures" : "audio", pad.get()));
    }
    built_.store(true, std::memory_order_release);
  }

  void add_element(GstElement* element) {
    g_signal_connect(element, "pad-added", G_CALLBACK(on_source_pad), this);
    g_signal_connect(element, "pad-removed", G_CALLBACK(on_removed_pad), this);
    for (const auto& pad : open_source_pads(element)) add_pad(pad.get());
  }

  /// A pad of a source, or of a demuxer whose tracks are containers themselves.
  void add_pad(GstPad* pad) {
    gst_pad_add_probe(pad, kTrackData, on_source_data, this, nullptr);
    if (const auto kind = raw_kind(pad)) {
      if (GstPad* const out = claim(*kind); out != nullptr) gst_pad_link(pad, out);
    } else if (track_kind(pad) && !is_container(pad)) {
      add_track(pad);
    } else if (has_fixed_format(pad)) {
      split(pad);
    } else {
      find_type(pad);
    }
  }

 private:
  struct Candidate {
    GstPad* pad;
    TrackKind kind;
    GstElement* queue;     ///< nullptr if there is none
    GstPad* in = nullptr;  ///< of the queue, once the track was chosen
    bool chosen = false;
    bool dead = false;            ///< was chosen, and carried nothing
    TrackChain* chain = nullptr;  ///< once the track was chosen
  };

  /// See GstPipeline::Impl::of().
  static Impl& of(gpointer data) {
    Impl& self = *static_cast<Impl*>(data);
    (void)self.built_.load(std::memory_order_acquire);
    return self;
  }

  /// Runs `action` on one of GStreamer's threads, which know no exceptions.
  template <typename Action>
  void attempt(Action action) const {
    try {
      action();
    } catch (const std::runtime_error& error) {
      GST_ELEMENT_ERROR(bin_, CORE, MISSING_PLUGIN, ("%s", error.what()), (nullptr));
    }
  }

  void start(GstElement* element, GstPad* pad) const {
    gst_bin_add(GST_BIN(bin_), element);
    feed(element, pad);
  }

  void feed(GstElement* element, GstPad* pad) const {
    const PadHandle sink{gst_element_get_static_pad(element, "sink")};
    gst_pad_link(pad, sink.get());
    gst_element_sync_state_with_parent(element);
  }

  void find_type(GstPad* pad) {
    GstElement* const finder = make_element("typefind");
    g_signal_connect(finder, "have-type", G_CALLBACK(on_type), this);
    start(finder, pad);
  }

  static void on_type(GstElement* finder, guint, GstCaps*, gpointer data) {
    const PadHandle pad{gst_element_get_static_pad(finder, "src")};
    of(data).attempt([&] { of(data).split(pad.get()); });
  }

  /// The pad's format is known.
  void split(GstPad* pad) {
    GstElement* const demuxer = make_demuxer(pad);
    if (demuxer == nullptr) {
      add_chain(pad, track_kind(pad));
      return;
    }
    if (++demuxers_ > kMaxDemuxers) {
      gst_object_unref(gst_object_ref_sink(demuxer));
      throw std::runtime_error{"the source has too many containers within containers"};
    }
    g_signal_connect(demuxer, "pad-added", G_CALLBACK(on_demuxed_pad), this);
    g_signal_connect(demuxer, "pad-removed", G_CALLBACK(on_removed_pad), this);
    gst_bin_add(GST_BIN(bin_), demuxer);
    if (fragments_) read_media_times(demuxer);
    if (is_adaptive_demuxer(demuxer)) fragments_ = true;
    // Those of demuxers for tags are there from the start.
    for (const auto& out : open_source_pads(demuxer)) on_demuxed_pad(demuxer, out.get(), this);
    feed(demuxer, pad);
  }

  static void on_source_pad(GstElement*, GstPad* pad, gpointer data) {
    if (!GST_PAD_IS_SRC(pad) || gst_pad_is_linked(pad)) return;
    of(data).attempt([&] { of(data).add_pad(pad); });
  }

  static GstPadProbeReturn on_source_data(GstPad*, GstPadProbeInfo*, gpointer data) {
    of(data).report_->data_arrived();
    return GST_PAD_PROBE_OK;
  }

  static void on_demuxed_pad(GstElement* demuxer, GstPad* pad, gpointer data) {
    auto& self = of(data);
    self.attempt([&] {
      if (is_container(pad) || !has_fixed_format(pad)) {
        self.find_type(pad);
      } else if (track_kind(pad)) {
        follow_media(pad, self.clock_);
        set_avi_times(pad);
        self.add_track(pad, self.queue_of(demuxer));
      }
    });
  }

  /// One queue for all tracks of a demuxer: it grows while one of them has nothing.
  GstElement* queue_of(GstElement* demuxer) {
    std::lock_guard lock{mutex_};
    auto& queue = queues_[demuxer];
    if (queue == nullptr) {
      queue = make_element("multiqueue");
      g_object_set(queue, "max-size-bytes", kMaxQueueBytes, "max-size-time", guint64{0}, nullptr);
      if (datagrams_) g_object_set(queue, "max-size-buffers", kMaxDatagramFrames, nullptr);
      gst_bin_add(GST_BIN(bin_), queue);
      gst_element_sync_state_with_parent(queue);
    }
    return queue;
  }

  void add_track(GstPad* pad, GstElement* queue = nullptr) {
    {
      std::lock_guard lock{mutex_};
      candidates_.push_back({pad, *track_kind(pad), queue});
    }
    gst_pad_add_probe(pad, kTrackData, on_track_data, this, nullptr);
  }

  static void on_removed_pad(GstElement*, GstPad* pad, gpointer data) {
    auto& self = of(data);
    GstPad* in = nullptr;
    {
      std::lock_guard lock{self.mutex_};
      const auto found = std::ranges::find(self.candidates_, pad, &Candidate::pad);
      if (found == self.candidates_.end()) return;
      in = found->in;
      const bool again = found->chosen && found->kind == TrackKind::kAudio;
      self.candidates_.erase(found);
      if (again) self.watch_audio();
    }
    if (in != nullptr) gst_pad_send_event(in, gst_event_new_eos());
  }

  /// The audio that was chosen is gone: that of another track is chosen at its next data. Call with
  /// the mutex.
  void watch_audio() {
    for (const auto& c : candidates_) {
      if (c.kind != TrackKind::kAudio) continue;
      gst_pad_add_probe(c.pad, kTrackData, on_track_data, this, nullptr);
    }
  }

  /// Chooses when the first data of a kind arrive: by then all tracks are known. Data of audio
  /// tracks that were not chosen are watched until the chosen one plays.
  static GstPadProbeReturn on_track_data(GstPad* pad, GstPadProbeInfo* info, gpointer data) {
    bool settled = true;
    of(data).attempt([&] { settled = of(data).choose(pad, first_time(info)); });
    return settled ? GST_PAD_PROBE_REMOVE : GST_PAD_PROBE_OK;
  }

  /// Returns whether more data of the pad need no choice.
  bool choose(GstPad* pad, std::optional<base::Duration> pts) {
    const auto now = base::Clock::now();
    std::optional<Candidate> chosen;
    {
      std::lock_guard lock{mutex_};
      const auto found = std::ranges::find(candidates_, pad, &Candidate::pad);
      if (found == candidates_.end() || found->chosen || found->dead) return true;
      const auto kind = found->kind;
      const auto last = std::ranges::find_if(
          candidates_, [&](const Candidate& c) { return c.kind == kind && c.chosen; });
      if (last == candidates_.end()) {
        chosen = first_choice(kind, pad, now);
      } else if (kind == TrackKind::kPictures || !wait_ || !last->chain) {
        return kind == TrackKind::kPictures;
      } else {
        const auto health = last->chain->health();
        if (!wait_->over(now, pts, health)) return health == TrackHealth::kDecoded;
        chosen = replace(*last, *found, now);
      }
    }
    if (chosen) decode(*chosen);
    return !chosen || chosen->pad == pad || chosen->kind == TrackKind::kPictures;
  }

  /// Call with the mutex.
  std::optional<Candidate> first_choice(TrackKind kind, const GstPad* pad, base::Time now) {
    std::vector<Candidate*> same;
    for (auto& c : candidates_) {
      if (c.kind == kind) same.push_back(&c);
    }
    const auto index = best(kind, same, pad);
    if (!index) return std::nullopt;
    same[*index]->chosen = true;
    if (kind == TrackKind::kAudio) {
      wait_.emplace(now);
      report_->clear(SourceTrouble::kAudioReplaced);
    }
    return *same[*index];
  }

  /// Call with the mutex. The dead track stays silent, also if it comes to life.
  Candidate replace(Candidate& dead, Candidate& other, base::Time now) {
    gst_pad_add_probe(
        dead.pad, kTrackData,
        [](GstPad*, GstPadProbeInfo*, gpointer) { return GST_PAD_PROBE_DROP; }, nullptr, nullptr);
    dead.chosen = false;
    dead.dead = true;
    other.chosen = true;
    wait_.emplace(now);
    report_->raise(SourceTrouble::kAudioReplaced, describe_audio(other.pad).language);
    return other;
  }

  /// Of pictures, the first track that has data, which came from `pad`.
  std::optional<std::size_t> best(TrackKind kind, const std::vector<Candidate*>& same,
                                  const GstPad* pad) const {
    if (kind == TrackKind::kPictures) {
      return std::ranges::find(same, pad, &Candidate::pad) - same.begin();
    }
    std::vector<AudioTrack> tracks;
    for (const Candidate* c : same) tracks.push_back(describe_audio(c->pad));
    return choose_audio(tracks, audio_);
  }

  void decode(const Candidate& track) {
    if (track.queue == nullptr) {
      note_chain(track.pad, add_chain(track.pad, track.kind));
      return;
    }
    const PadHandle in{gst_element_request_pad_simple(track.queue, "sink_%u")};
    const std::string number{GST_OBJECT_NAME(in.get()) + std::string{"sink_"}.size()};
    const PadHandle out{gst_element_get_static_pad(track.queue, ("src_" + number).c_str())};
    note_chain(track.pad, add_chain(out.get(), track.kind), in.get());
    gst_pad_link(track.pad, in.get());
  }

  void note_chain(const GstPad* track, TrackChain* chain, GstPad* in = nullptr) {
    std::lock_guard lock{mutex_};
    const auto found = std::ranges::find(candidates_, track, &Candidate::pad);
    if (found == candidates_.end()) return;
    found->in = in;
    found->chain = chain;
  }

  TrackChain* add_chain(GstPad* pad, std::optional<TrackKind> kind) {
    remove_ended_chains();
    {
      std::lock_guard lock{mutex_};
      if (chains_.size() >= kMaxChains) {
        throw std::runtime_error{"the source changes its tracks too often"};
      }
    }
    auto chain = std::make_unique<TrackChain>(
        bin_, pad, kind,
        [this, kind](TrackKind decoded) { return kind ? open(decoded) : claim(decoded); }, joiner_,
        report_);
    std::lock_guard lock{mutex_};
    return chains_.emplace_back(Chain{std::move(chain)}).chain.get();
  }

  void remove_ended_chains() {
    std::vector<TrackChain*> ended;
    {
      std::lock_guard lock{mutex_};
      for (auto& [chain, removed] : chains_) {
        if (!removed && chain->ended()) ended.push_back(chain.get());
        removed = removed || chain->ended();
      }
    }
    for (auto* chain : ended) chain->remove();
  }

  /// A pad of the funnel.
  GstPad* open(TrackKind kind) {
    GstElement* const funnel = funnel_[static_cast<int>(kind)];
    const PadHandle src{gst_element_get_static_pad(funnel, "src")};
    if (GST_PAD_IS_EOS(src.get())) {  // all tracks so far have ended; the sink would take no more
      gst_pad_push_event(src.get(), gst_event_new_flush_start());
      gst_pad_push_event(src.get(), gst_event_new_flush_stop(FALSE));
    }
    // The bin may start its source before its funnels, which nothing links with each other.
    gst_element_sync_state_with_parent(funnel);
    GstPad* const pad = gst_element_request_pad_simple(funnel, "sink_%u");
    gst_object_unref(pad);  // the funnel keeps it
    return pad;
  }

  /// The same, but only for the first track that asks.
  GstPad* claim(TrackKind kind) {
    {
      std::lock_guard lock{mutex_};
      if (std::exchange(claimed_[static_cast<int>(kind)], true)) return nullptr;
    }
    if (kind == TrackKind::kAudio && audio_ == "none") return nullptr;
    return open(kind);
  }

  struct Chain {
    std::unique_ptr<TrackChain> chain;
    bool removed = false;
  };

  GstElement* const bin_;
  const bool datagrams_;
  const std::string audio_;
  const std::shared_ptr<InputReport> report_;
  const std::shared_ptr<TrackJoiner> joiner_ = std::make_shared<TrackJoiner>();
  const std::shared_ptr<FragmentClock> clock_ = std::make_shared<FragmentClock>();
  GstElement* funnel_[2]{};  ///< by TrackKind; owned by the bin

  std::atomic<bool> built_ = false;
  std::atomic<int> demuxers_ = 0;
  std::atomic<bool> fragments_ = false;  ///< each track has a demuxer, and a timeline, of its own

  std::mutex mutex_;
  std::map<GstElement*, GstElement*> queues_;  // GUARDED_BY(mutex_); by demuxer
  std::list<Candidate> candidates_;            // GUARDED_BY(mutex_)
  std::optional<AudioWait> wait_;              // GUARDED_BY(mutex_); since the last choice
  std::list<Chain> chains_;                    // GUARDED_BY(mutex_); messages may still name them
  bool claimed_[2]{};                          // GUARDED_BY(mutex_); by TrackKind
};

TrackInput::TrackInput(GstElement* bin, const SourceSettings& source,
                       std::shared_ptr<InputReport> report)
    : impl_{std::make_unique<Impl>(bin, source, std::move(report))} {}

TrackInput::~TrackInput() = default;

void TrackInput::add_element(GstElement* element) { impl_->add_element(element); }
void TrackInput::add_pad(GstPad* pad) { impl_->add_pad(pad); }

}  // namespace transcoder
