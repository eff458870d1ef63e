#include "transcoder/gst/track_input.h"

#include <gst/gst.h>
#include <gst/tag/tag.h>

#include <algorithm>
#include <atomic>
#include <iterator>
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
#include "transcoder/gst/fragment_tracks.h"
#include "transcoder/gst/gst_element.h"
#include "transcoder/gst/handle.h"
#include "transcoder/gst/source_uri.h"
#include "transcoder/gst/track_chain.h"
#include "transcoder/gst/track_choice.h"
#include "transcoder/gst/track_funnel.h"
#include "transcoder/gst/ts_filter.h"

namespace transcoder {

namespace {

using ElementHandle = Handle<GstElement, gst_object_unref>;
using PadHandle = Handle<GstPad, gst_object_unref>;
using CapsHandle = Handle<GstCaps, gst_caps_unref>;
using EventHandle = Handle<GstEvent, gst_event_unref>;
using TagsHandle = Handle<GstTagList, gst_tag_list_unref>;
using StreamHandle = Handle<GstStream, gst_object_unref>;

/// Interleaved tracks are queued up to this size while one of them has nothing: 8 s of 10 Mbit/s.
constexpr guint kMaxQueueBytes = 10 << 20;

/// The same in frames, for senders that do not wait, so that a burst fits (LivePacer): 10 s of 60
/// per second. Of others GStreamer's 5 are enough.
constexpr guint kMaxDatagramFrames = 600;

/// Containers within containers: ID3 tags before a transport stream are two. A source that nests
/// more is made to exhaust the stack.
constexpr int kMaxDemuxers = 16;

/// Tracks that are decoded at one time, each with threads of its own. Two, and those that changed
/// within the time that a queue holds, are usual.
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

/// ISO 639-1 if the language has such a code, else the text itself: containers use both kinds.
std::string language_code(const char* text) {
  const char* const code = gst_tag_get_language_code(text);
  return code != nullptr ? code : text;
}

AudioTrack describe(GstPad* pad) {
  AudioTrack result;
  const EventHandle start{gst_pad_get_sticky_event(pad, GST_EVENT_STREAM_START, 0)};
  if (!start) return result;
  GstStreamFlags flags{};
  gst_event_parse_stream_flags(start.get(), &flags);
  result.marked_default = (flags & GST_STREAM_FLAG_SELECT) != 0;
  GstStream* stream = nullptr;
  gst_event_parse_stream(start.get(), &stream);
  const StreamHandle owned{stream};
  TagsHandle tags{stream != nullptr ? gst_stream_get_tags(stream) : nullptr};
  for (guint i = 0; !tags || gst_tag_list_get_tag_size(tags.get(), GST_TAG_LANGUAGE_CODE) == 0;
       ++i) {
    const EventHandle event{gst_pad_get_sticky_event(pad, GST_EVENT_TAG, i)};
    if (!event) break;
    GstTagList* list = nullptr;
    gst_event_parse_tag(event.get(), &list);
    tags.reset(gst_tag_list_ref(list));
  }
  gchar* language = nullptr;
  if (tags && gst_tag_list_get_string(tags.get(), GST_TAG_LANGUAGE_CODE, &language)) {
    result.language = language_code(Handle<gchar, g_free>{language}.get());
  }
  result.visually_impaired = is_audio_description(pad);
  return result;
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
      funnels_.emplace_back(bin, kind == TrackKind::kPictures ? "pictures" : "audio");
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
    watch_end(pad);
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

  /// A pad of a source, a demuxer or a queue. Tracks may come out of it until it has ended.
  struct Input {
    std::optional<TrackKind> kind;  ///< empty: unknown, or a container
    bool ended = false;
  };

  struct Chain {
    std::unique_ptr<TrackChain> chain;
    std::optional<TrackKind> kind;
    GstElement* queue = nullptr;  ///< nullptr if there is none
    PadHandle in = nullptr;       ///< of the queue
    bool removed = false;         ///< the pad that it came from
    bool held = false;            ///< until those before it have ended
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
    {
      std::lock_guard lock{mutex_};
      finders_[pad] = finder;
    }
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

  /// The thread of a source is none of a chain's, so it may stop those.
  static GstPadProbeReturn on_source_data(GstPad*, GstPadProbeInfo*, gpointer data) {
    of(data).report_->data_arrived();
    if (of(data).some_done_) of(data).remove_done_chains();
    return GST_PAD_PROBE_OK;
  }

  /// Notices the end of what the pad carries.
  void watch_end(GstPad* pad, std::optional<TrackKind> kind = std::nullopt) {
    {
      std::lock_guard lock{mutex_};
      inputs_[pad] = {kind};
      for (const auto k : kTrackKinds) {
        if (!kind || kind == k) set_ended(k, false);
      }
    }
    gst_pad_add_probe(pad,
                      static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM |
                                                   GST_PAD_PROBE_TYPE_EVENT_FLUSH),
                      on_pad_event, this, nullptr);
  }

  /// Call with the mutex.
  void set_ended(TrackKind kind, bool ended) {
    has_ended_[static_cast<int>(kind)] = ended;
    if (!ended) told_end_[static_cast<int>(kind)] = false;
  }

  static GstPadProbeReturn on_pad_event(GstPad* pad, GstPadProbeInfo* info, gpointer data) {
    const auto type = GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info));
    if (type == GST_EVENT_EOS) of(data).note_end(pad, true);
    if (type == GST_EVENT_FLUSH_STOP) of(data).note_end(pad, false);
    return GST_PAD_PROBE_OK;
  }

  void note_end(GstPad* pad, bool ended) {
    std::optional<TrackKind> kind;
    {
      std::lock_guard lock{mutex_};
      const auto found = inputs_.find(pad);
      if (found == inputs_.end()) return;
      found->second.ended = ended;
      kind = found->second.kind;
      for (const auto k : kTrackKinds) {
        if (!kind || kind == k) set_ended(k, ended);
      }
    }
    if (ended) end_if_all_ended(kind);
  }

  /// Tells the sink of each kind that has ended, but not while a track of this kind may follow: a
  /// demuxer announces the new tracks before the old ones end.
  /// `of`: the kind that is concerned; empty for all. A thread of one kind does not wait for the
  /// end of the other one: a seek would wait for both.
  void end_if_all_ended(std::optional<TrackKind> of) {
    for (const auto kind : kTrackKinds) {
      if ((!of || of == kind) && take_end(kind)) funnel(kind).end();
    }
  }

  /// Whether the end is to be told now: once.
  bool take_end(TrackKind kind) {
    std::lock_guard lock{mutex_};
    return all_ended(kind) && !std::exchange(told_end_[static_cast<int>(kind)], true);
  }

  /// Call with the mutex.
  bool all_ended(TrackKind kind) const {
    const auto concerns = [kind](std::optional<TrackKind> other) {
      return !other || other == kind;
    };
    const auto open = [&](const auto& input) {
      const bool pulled = GST_PAD_MODE(input.first) == GST_PAD_MODE_PULL;  // has no end
      return concerns(input.second.kind) && !input.second.ended && !pulled;
    };
    const auto runs = [&](const Chain& c) { return concerns(c.kind) && !c.chain->ended(); };
    return has_ended_[static_cast<int>(kind)] && opened_[static_cast<int>(kind)] &&
           std::ranges::none_of(inputs_, open) && std::ranges::none_of(chains_, runs);
  }

  static void on_demuxed_pad(GstElement* demuxer, GstPad* pad, gpointer data) {
    auto& self = of(data);
    self.attempt([&] {
      if (is_container(pad) || !has_fixed_format(pad)) {
        self.watch_end(pad);
        self.find_type(pad);
      } else if (const auto kind = track_kind(pad)) {
        self.watch_end(pad, kind);
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
    self.remove_demuxer_of(pad);
    PadHandle in;
    TrackChain* chain = nullptr;
    {
      std::lock_guard lock{self.mutex_};
      self.inputs_.erase(pad);
      const auto found = std::ranges::find(self.candidates_, pad, &Candidate::pad);
      if (found == self.candidates_.end()) return;
      if (found->in != nullptr) in.reset(GST_PAD(gst_object_ref(found->in)));
      chain = found->chain;
      const bool again = found->chosen && found->kind == TrackKind::kAudio;
      self.candidates_.erase(found);
      if (again) self.watch_audio();
    }
    if (in) {
      gst_pad_send_event(in.get(), gst_event_new_eos());
    } else if (chain != nullptr) {
      chain->end();
    }
    if (chain != nullptr) self.let_go(chain);
  }

  /// The pad of a container is gone, as at the end of a period of DASH, and so are the elements
  /// that took it apart. Their threads are those of the queue, which still has data.
  void remove_demuxer_of(GstPad* container) {
    GstElement* finder = nullptr;
    {
      std::lock_guard lock{mutex_};
      const auto found = finders_.find(container);
      if (found == finders_.end()) return;
      finder = found->second;
      finders_.erase(found);
    }
    const PadHandle found{gst_element_get_static_pad(finder, "src")};
    const PadHandle entry{gst_pad_get_peer(found.get())};
    const ElementHandle demuxer{entry ? gst_pad_get_parent_element(entry.get()) : nullptr};
    remove(finder);
    std::unique_lock lock{mutex_};
    if (!demuxer || queues_.erase(demuxer.get()) == 0) return;
    lock.unlock();
    --demuxers_;
    remove(demuxer.get());  // its pads are removed by that
  }

  void remove(GstElement* element) const {
    gst_element_set_locked_state(element, TRUE);
    gst_element_set_state(element, GST_STATE_NULL);
    gst_bin_remove(GST_BIN(bin_), element);
  }

  /// The chain's pad is gone: once the chain has ended, it is removed.
  void let_go(const TrackChain* chain) {
    std::lock_guard lock{mutex_};
    for (auto& c : chains_) c.removed = c.removed || c.chain.get() == chain;
    note_done();
  }

  void on_chain_end(std::optional<TrackKind> kind) {
    {
      std::lock_guard lock{mutex_};
      note_done();
      let_proceed();
    }
    end_if_all_ended(kind);
  }

  /// Tracks of a kind follow each other: one that begins waits for those whose last data are still
  /// on their way. Call with the mutex.
  void let_proceed() {
    for (auto c = chains_.begin(); c != chains_.end(); ++c) {
      if (c->held && !waits(c->kind, c)) {
        c->held = false;
        c->chain->proceed();
      }
    }
  }

  /// Call with the mutex.
  bool waits(std::optional<TrackKind> kind, std::list<Chain>::const_iterator end) const {
    return std::any_of(chains_.begin(), end, [kind](const Chain& earlier) {
      const bool ends = earlier.removed || (earlier.in && GST_PAD_IS_EOS(earlier.in.get()));
      return earlier.kind == kind && ends && !earlier.chain->ended();
    });
  }

  static bool done(const Chain& c) { return c.removed && c.chain->ended(); }

  /// Call with the mutex.
  void note_done() { some_done_ = std::ranges::any_of(chains_, done); }

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
    report_->raise(SourceTrouble::kAudioReplaced, describe(other.pad).language);
    return other;
  }

  /// Of pictures, the first track that has data, which came from `pad`.
  std::optional<std::size_t> best(TrackKind kind, const std::vector<Candidate*>& same,
                                  const GstPad* pad) const {
    if (kind == TrackKind::kPictures) {
      return std::ranges::find(same, pad, &Candidate::pad) - same.begin();
    }
    std::vector<AudioTrack> tracks;
    for (const Candidate* c : same) tracks.push_back(describe(c->pad));
    return choose_audio(tracks, audio_);
  }

  void decode(const Candidate& track) {
    if (track.queue == nullptr) {
      note_chain(track.pad, add_chain(track.pad, track.kind));
      return;
    }
    PadHandle in{gst_element_request_pad_simple(track.queue, "sink_%u")};
    GstPad* const sink = in.get();
    const std::string number{GST_OBJECT_NAME(sink) + std::string{"sink_"}.size()};
    const PadHandle out{gst_element_get_static_pad(track.queue, ("src_" + number).c_str())};
    note_chain(track.pad, add_chain(out.get(), track.kind, track.queue, std::move(in)), sink);
    gst_pad_link(track.pad, sink);
  }

  void note_chain(const GstPad* track, TrackChain* chain, GstPad* in = nullptr) {
    std::lock_guard lock{mutex_};
    const auto found = std::ranges::find(candidates_, track, &Candidate::pad);
    if (found == candidates_.end()) return;
    found->in = in;
    found->chain = chain;
  }

  TrackChain* add_chain(GstPad* pad, std::optional<TrackKind> kind, GstElement* queue = nullptr,
                        PadHandle in = nullptr) {
    remove_done_chains();
    {
      std::lock_guard lock{mutex_};
      if (chains_.size() >= kMaxChains) {
        throw std::runtime_error{"the source changes its tracks too often"};
      }
    }
    auto chain = std::make_unique<TrackChain>(
        bin_, pad, kind,
        [this, kind](TrackKind decoded) { return kind ? open(decoded) : claim(decoded); },
        [this, kind] { on_chain_end(kind); }, joiner_, report_);
    std::lock_guard lock{mutex_};
    const bool held = waits(kind, chains_.end());
    if (held) chain->hold();
    return chains_.emplace_back(Chain{std::move(chain), kind, queue, std::move(in), false, held})
        .chain.get();
  }

  /// Gives back all that the chains held whose tracks are gone. Call on no chain's thread: it waits
  /// until those have stopped.
  void remove_done_chains() {
    std::list<Chain> all;
    {
      std::lock_guard lock{mutex_};
      for (auto c = chains_.begin(); c != chains_.end();) {
        const auto next = std::next(c);
        if (done(*c)) all.splice(all.end(), chains_, c);
        c = next;
      }
      some_done_ = false;
    }
    for (auto& [chain, kind, queue, in, removed, held] : all) {
      if (in) gst_element_release_request_pad(queue, in.get());  // stops the thread
      if (in) remove_unused(queue);
      chain->remove();
      for (const auto& [what, out] : chain->outlets()) funnel(what).close(out);
      if (kind) continue;
      std::lock_guard lock{mutex_};
      for (const auto& [what, out] : chain->outlets()) claimed_[static_cast<int>(what)] = false;
    }
  }

  /// Removes a queue whose demuxer is gone and which has no track any more.
  void remove_unused(GstElement* queue) {
    {
      std::lock_guard lock{mutex_};
      const auto used = [queue](const auto& item) { return item.second == queue; };
      const auto uses = [queue](const Chain& c) { return c.queue == queue; };
      if (queue->numsinkpads > 0 || std::ranges::any_of(queues_, used) ||
          std::ranges::any_of(chains_, uses)) {
        return;
      }
    }
    remove(queue);
  }

  /// A pad of the funnel.
  GstPad* open(TrackKind kind) {
    {
      std::lock_guard lock{mutex_};
      opened_[static_cast<int>(kind)] = true;
      told_end_[static_cast<int>(kind)] = false;
    }
    return funnel(kind).open();
  }

  TrackFunnel& funnel(TrackKind kind) { return funnels_[static_cast<std::size_t>(kind)]; }

  /// The same, but only for the first track that asks.
  GstPad* claim(TrackKind kind) {
    {
      std::lock_guard lock{mutex_};
      if (std::exchange(claimed_[static_cast<int>(kind)], true)) return nullptr;
    }
    if (kind == TrackKind::kAudio && audio_ == "none") return nullptr;
    return open(kind);
  }

  GstElement* const bin_;
  const bool datagrams_;
  const std::string audio_;
  const std::shared_ptr<InputReport> report_;
  const std::shared_ptr<TrackJoiner> joiner_ = std::make_shared<TrackJoiner>();
  const std::shared_ptr<FragmentClock> clock_ = std::make_shared<FragmentClock>();
  std::vector<TrackFunnel> funnels_;  ///< by TrackKind

  std::atomic<bool> built_ = false;
  std::atomic<int> demuxers_ = 0;
  std::atomic<bool> some_done_ = false;  ///< chains are to be removed
  std::atomic<bool> fragments_ = false;  ///< each track has a demuxer, and a timeline, of its own

  std::mutex mutex_;
  std::map<GstPad*, GstElement*> finders_;     // GUARDED_BY(mutex_); by the pad of a container
  std::map<GstElement*, GstElement*> queues_;  // GUARDED_BY(mutex_); by demuxer
  std::list<Candidate> candidates_;            // GUARDED_BY(mutex_)
  std::optional<AudioWait> wait_;              // GUARDED_BY(mutex_); since the last choice
  std::list<Chain> chains_;                    // GUARDED_BY(mutex_)
  std::map<GstPad*, Input> inputs_;            // GUARDED_BY(mutex_)
  bool claimed_[2]{};                          // GUARDED_BY(mutex_); by TrackKind
  bool told_end_[2]{};                         // GUARDED_BY(mutex_); by TrackKind
  bool opened_[2]{};     // GUARDED_BY(mutex_); by TrackKind: there was a decoded track
  bool has_ended_[2]{};  // GUARDED_BY(mutex_); by TrackKind: the pad that changed last has ended
};

TrackInput::TrackInput(GstElement* bin, const SourceSettings& source,
                       std::shared_ptr<InputReport> report)
    : impl_{std::make_unique<Impl>(bin, source, std::move(report))} {}

TrackInput::~TrackInput() = default;

void TrackInput::add_element(GstElement* element) { impl_->add_element(element); }
void TrackInput::add_pad(GstPad* pad) { impl_->add_pad(pad); }

}  // namespace transcoder
