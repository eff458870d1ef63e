#include "transcoder/gst/track_input.h"

#include <gst/gst.h>

#include <algorithm>
#include <atomic>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "transcoder/gst/avi_times.h"
#include "transcoder/gst/demuxer.h"
#include "transcoder/gst/flv_head.h"
#include "transcoder/gst/fragment_tracks.h"
#include "transcoder/gst/gst_element.h"
#include "transcoder/gst/gst_handles.h"
#include "transcoder/gst/track_chains.h"
#include "transcoder/gst/track_choice.h"
#include "transcoder/gst/track_description.h"
#include "transcoder/gst/track_queue.h"
#include "transcoder/uri/source_uri.h"

namespace transcoder {

namespace {

/// Containers within containers: ID3 tags before a transport stream are two. A source that nests
/// more is made to exhaust the stack.
constexpr int kMaxDemuxers = 16;

/// Tracks of a source, from which two are chosen. No film has more.
constexpr std::size_t kMaxTracks = 64;

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

/// Whether the data in a probe are the head of an FLV stream.
bool has_flv_head(GstPadProbeInfo* info) {
  GstBuffer* const buffer =
      (info->type & GST_PAD_PROBE_TYPE_BUFFER) != 0 ? GST_PAD_PROBE_INFO_BUFFER(info) : nullptr;
  GstMapInfo map;
  if (buffer == nullptr || !gst_buffer_map(buffer, &map, GST_MAP_READ)) return false;
  const bool result = is_flv_head({map.data, map.size});
  gst_buffer_unmap(buffer, &map);
  return result;
}

}  // namespace

class TrackInput::Impl {
 public:
  Impl(GstElement* bin, const SourceSettings& source, std::shared_ptr<InputReport> report)
      : bin_{bin},
        datagrams_{comes_in_datagrams(source.uri)},
        audio_{source.audio == "none" ? source.audio : language_code(source.audio.c_str())},
        report_{std::move(report)},
        chains_{bin, source.audio != "none", report_} {
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
    chains_.watch(pad);
    if (const auto kind = raw_kind(pad)) {
      if (GstPad* const out = chains_.claim(*kind); out != nullptr) gst_pad_link(pad, out);
    } else if (track_kind(pad) && !is_container(pad)) {
      add_track(pad);
    } else if (has_fixed_format(pad)) {
      split(pad, pad);
    } else {
      find_type(pad);
    }
  }

 private:
  /// The elements that take the data of a pad apart.
  struct Branch {
    ElementHandle finder;               ///< nullptr if the format was known
    ElementHandle demuxer;              ///< nullptr if there is a chain
    std::shared_ptr<TrackQueue> queue;  ///< of all tracks of the demuxer; nullptr if none came
    TrackChain* chain = nullptr;
  };

  struct Candidate {
    GstPad* pad = nullptr;
    TrackKind kind{};
    std::shared_ptr<TrackQueue> queue;  ///< nullptr if there is none
    bool carries_data = false;
    bool chosen = false;
    bool dead = false;            ///< was chosen, and carried nothing
    GstPad* in = nullptr;         ///< of the queue, once the track is decoded
    TrackChain* chain = nullptr;  ///< once the track is decoded
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
    add_to(bin_, element);
    feed(element, pad);
  }

  void feed(GstElement* element, GstPad* pad) const {
    const PadHandle sink{gst_element_get_static_pad(element, "sink")};
    gst_pad_link(pad, sink.get());
    start_in_bin(element);
  }

  void find_type(GstPad* pad) {
    GstElement* const finder = make_element("typefind");
    g_signal_connect(finder, "have-type", G_CALLBACK(on_type), this);
    {
      std::lock_guard lock{mutex_};
      branches_[pad].finder.reset(GST_ELEMENT(gst_object_ref_sink(finder)));
    }
    start(finder, pad);
  }

  static void on_type(GstElement* finder, guint, GstCaps*, gpointer data) {
    const PadHandle in{gst_element_get_static_pad(finder, "sink")};
    const PadHandle from{gst_pad_get_peer(in.get())};
    const PadHandle pad{gst_element_get_static_pad(finder, "src")};
    of(data).attempt([&] { of(data).split(from.get(), pad.get()); });
  }

  /// The format of the data of `from` is known. They come out of `pad`.
  void split(GstPad* from, GstPad* pad) {
    GstElement* const demuxer = make_demuxer(pad);
    if (demuxer == nullptr) {
      TrackChain* const chain = chains_.add(pad, track_kind(pad));
      std::lock_guard lock{mutex_};
      branches_[from].chain = chain;
      return;
    }
    ElementHandle owned{GST_ELEMENT(gst_object_ref_sink(demuxer))};
    {
      std::lock_guard lock{mutex_};
      if (std::ranges::count_if(branches_, has_demuxer) == kMaxDemuxers) {
        throw std::runtime_error{"the source has too many containers within containers"};
      }
      branches_[from].demuxer = std::move(owned);
    }
    g_signal_connect(demuxer, "pad-added", G_CALLBACK(on_demuxed_pad), this);
    g_signal_connect(demuxer, "pad-removed", G_CALLBACK(on_removed_pad), this);
    add_to(bin_, demuxer);
    read_media_times(demuxer, fragments_, clock_);
    if (is_adaptive_demuxer(demuxer)) fragments_ = fragment_origin(demuxer);
    // Those of demuxers for tags are there from the start.
    for (const auto& out : open_source_pads(demuxer)) on_demuxed_pad(demuxer, out.get(), this);
    feed(demuxer, pad);
  }

  static bool has_demuxer(const std::pair<GstPad* const, Branch>& branch) {
    return branch.second.demuxer != nullptr;
  }

  static void on_source_pad(GstElement*, GstPad* pad, gpointer data) {
    if (!GST_PAD_IS_SRC(pad) || gst_pad_is_linked(pad)) return;
    of(data).attempt([&] { of(data).add_pad(pad); });
  }

  /// The thread of a source is none of a chain's, so it may stop those.
  static GstPadProbeReturn on_source_data(GstPad*, GstPadProbeInfo* info, gpointer data) {
    auto& report = *of(data).report_;
    if (report.has_data() || !has_flv_head(info)) report.data_arrived();
    of(data).chains_.remove_done();
    return GST_PAD_PROBE_OK;
  }

  static void on_demuxed_pad(GstElement* demuxer, GstPad* pad, gpointer data) {
    auto& self = of(data);
    self.attempt([&] {
      if (is_container(pad) || !has_fixed_format(pad)) {
        self.chains_.watch(pad);
        self.find_type(pad);
      } else if (const auto kind = track_kind(pad)) {
        self.chains_.watch(pad, kind);
        follow_media(pad, self.clock_);
        set_avi_times(pad);
        self.add_track(pad, self.queue_of(demuxer));
      }
    });
  }

  /// One for all tracks of a demuxer.
  std::shared_ptr<TrackQueue> queue_of(GstElement* demuxer) {
    std::lock_guard lock{mutex_};
    const auto branch = std::ranges::find_if(
        branches_, [demuxer](const auto& b) { return b.second.demuxer.get() == demuxer; });
    if (branch == branches_.end()) return nullptr;
    auto& queue = branch->second.queue;
    if (queue == nullptr) queue = std::make_shared<TrackQueue>(bin_, datagrams_);
    return queue;
  }

  void add_track(GstPad* pad, std::shared_ptr<TrackQueue> queue = nullptr) {
    {
      std::lock_guard lock{mutex_};
      if (candidates_.size() >= kMaxTracks) return;
      candidates_.push_back({pad, *track_kind(pad), std::move(queue)});
    }
    gst_pad_add_probe(pad, kTrackData, on_track_data, this, nullptr);
  }

  static void on_removed_pad(GstElement*, GstPad* pad, gpointer data) { of(data).forget(pad); }

  /// The pad is gone, and what its data went through is not needed any more.
  void forget(GstPad* pad) {
    chains_.forget(pad);
    remove_branch(pad);
    Candidate gone;
    {
      std::lock_guard lock{mutex_};
      const auto found = std::ranges::find(candidates_, pad, &Candidate::pad);
      if (found == candidates_.end()) return;
      gone = std::move(*found);
      candidates_.erase(found);
      if (gone.chosen && gone.kind == TrackKind::kAudio) watch_audio();
    }
    if (gone.chain != nullptr) {
      report_->tracks_changed();
      end(gone);
    }
  }

  void end(const Candidate& track) {
    track.chain->abandon();
    if (track.in != nullptr) {
      gst_pad_send_event(track.in, gst_event_new_eos());
    } else {
      track.chain->end();
    }
    chains_.let_go(track.chain);
  }

  /// At the end of a period of DASH, for example. The threads of tracks are those of their queue,
  /// which may still have data.
  void remove_branch(GstPad* pad) {
    const auto branch = take_branch(pad);
    if (branch.finder) remove_element(branch.finder.get());
    if (branch.chain != nullptr) {
      branch.chain->abandon();
      branch.chain->end();
      chains_.let_go(branch.chain);
    }
    if (!branch.demuxer) return;
    const auto pads = source_pads(branch.demuxer.get());
    remove_element(branch.demuxer.get());
    for (const auto& out : pads) forget(out.get());
  }

  Branch take_branch(GstPad* pad) {
    std::lock_guard lock{mutex_};
    auto branch = branches_.extract(pad);
    return branch ? std::move(branch.mapped()) : Branch{};
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
      if (found == candidates_.end()) return true;
      found->carries_data = true;
      if (found->chosen || found->dead) return true;
      const auto kind = found->kind;
      const auto last = std::ranges::find_if(
          candidates_, [&](const Candidate& c) { return c.kind == kind && c.chosen; });
      if (last == candidates_.end()) {
        chosen = first_choice(kind, pad, now);
      } else if (kind == TrackKind::kPictures || !wait_ || !last->chain) {
        return kind == TrackKind::kPictures;
      } else {
        const auto health = health_of(*last, *found);
        if (!wait_->over(now, pts, health)) return health == TrackHealth::kDecoded;
        chosen = replace(*last, *found, now);
      }
    }
    if (chosen) decode(*chosen);
    return !chosen || chosen->pad == pad || chosen->kind == TrackKind::kPictures;
  }

  /// Call with the mutex, at data of another track.
  static TrackHealth health_of(const Candidate& track, const Candidate& other) {
    const bool together = track.queue != nullptr && track.queue == other.queue;
    return together && !track.carries_data ? TrackHealth::kMissing : track.chain->health();
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

  /// Its first data have arrived. They count before they leave the queue: other tracks may end
  /// first.
  void decode(const Candidate& track) {
    report_->track_arrived(track.kind);
    if (track.queue == nullptr) return note_chain(track, chains_.add(track.pad, track.kind));
    auto lane = std::make_unique<TrackLane>(track.queue);
    GstPad* const in = lane->in();
    note_chain(track, chains_.add(std::move(lane), track.kind), in);
    gst_pad_link(track.pad, in);
  }

  void note_chain(const Candidate& track, TrackChain* chain, GstPad* in = nullptr) {
    std::lock_guard lock{mutex_};
    const auto found = std::ranges::find(candidates_, track.pad, &Candidate::pad);
    if (found == candidates_.end()) return;
    found->in = in;
    found->chain = chain;
  }

  GstElement* const bin_;
  const bool datagrams_;
  const std::string audio_;
  const std::shared_ptr<InputReport> report_;
  const std::shared_ptr<FragmentClock> clock_ = std::make_shared<FragmentClock>();
  TrackChains chains_;

  std::atomic<bool> built_ = false;
  std::atomic<FragmentOrigin> fragments_ = FragmentOrigin::kNone;

  std::mutex mutex_;
  std::map<GstPad*, Branch> branches_;  // GUARDED_BY(mutex_); by the pad with the data
  std::list<Candidate> candidates_;     // GUARDED_BY(mutex_)
  std::optional<AudioWait> wait_;       // GUARDED_BY(mutex_); since the last choice
};

TrackInput::TrackInput(GstElement* bin, const SourceSettings& source,
                       std::shared_ptr<InputReport> report)
    : impl_{std::make_unique<Impl>(bin, source, std::move(report))} {}

TrackInput::~TrackInput() = default;

void TrackInput::add_element(GstElement* element) { impl_->add_element(element); }
void TrackInput::add_pad(GstPad* pad) { impl_->add_pad(pad); }

}  // namespace transcoder
