#include "transcoder/gst/track_chains.h"

#include <gst/gst.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <list>
#include <map>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

#include "transcoder/gst/gst_element.h"
#include "transcoder/gst/track_funnel.h"

namespace transcoder {

namespace {

/// Tracks that are decoded at one time, each with threads of its own. Two, and those that changed
/// within the time that a queue holds, are usual.
constexpr std::size_t kMaxChains = 64;

constexpr auto kPadEvents = static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM |
                                                         GST_PAD_PROBE_TYPE_EVENT_FLUSH);

bool concerns(std::optional<TrackKind> what, TrackKind kind) { return !what || what == kind; }

/// Data that are read out of such a pad have no end that could be seen there.
bool pulls(GstPad* pad) { return GST_PAD_MODE(pad) == GST_PAD_MODE_PULL; }

}  // namespace

class TrackChains::Impl {
 public:
  Impl(GstElement* bin, bool audio, std::shared_ptr<InputReport> report)
      : bin_{bin},
        audio_{audio},
        report_{std::move(report)},
        pictures_funnel_{bin, "pictures"},
        audio_funnel_{bin, "audio"} {
    built_.store(true, std::memory_order_release);
  }

  void watch(GstPad* pad, std::optional<TrackKind> kind) {
    {
      std::lock_guard lock{mutex_};
      inputs_[pad] = {kind};
      ending_ = false;
    }
    gst_pad_add_probe(pad, kPadEvents, on_pad_event, this, nullptr);
  }

  void forget(GstPad* pad) {
    std::lock_guard lock{mutex_};
    inputs_.erase(pad);
  }

  TrackChain* add(GstPad* pad, std::unique_ptr<TrackLane> lane, std::optional<TrackKind> kind) {
    remove_done();
    {
      std::lock_guard lock{mutex_};
      if (chains_.size() >= kMaxChains) {
        throw std::runtime_error{"the source changes its tracks too often"};
      }
    }
    auto chain = std::make_unique<TrackChain>(
        bin_, pad, kind,
        [this, kind](TrackKind decoded) { return kind ? funnel(decoded).open() : claim(decoded); },
        [this, kind](bool by_itself) { note_end(kind, by_itself); }, joiner_, report_);
    std::lock_guard lock{mutex_};
    const bool held = waits(kind, chains_.end());
    if (held) chain->hold();
    return chains_.emplace_back(Chain{std::move(chain), kind, std::move(lane), false, held})
        .chain.get();
  }

  GstPad* claim(TrackKind kind) {
    {
      std::lock_guard lock{mutex_};
      if (std::exchange(claimed_[static_cast<int>(kind)], true)) return nullptr;
    }
    if (kind == TrackKind::kAudio && !audio_) return nullptr;
    return funnel(kind).open();
  }

  void let_go(const TrackChain* chain) {
    std::lock_guard lock{mutex_};
    for (auto& c : chains_) c.released = c.released || c.chain.get() == chain;
    note_done();
  }

  void remove_done() {
    if (!some_done_) return;
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
    for (auto& c : all) {
      c.lane.reset();  // stops the thread
      c.chain->remove();
      for (const auto& [kind, pad] : c.chain->outlets()) funnel(kind).close(pad);
      if (c.kind) continue;
      std::lock_guard lock{mutex_};
      for (const auto& outlet : c.chain->outlets()) {
        claimed_[static_cast<int>(outlet.first)] = false;
      }
    }
  }

 private:
  struct Input {
    std::optional<TrackKind> kind;
    bool ended = false;
  };

  struct Chain {
    std::unique_ptr<TrackChain> chain;
    std::optional<TrackKind> kind;
    std::unique_ptr<TrackLane> lane;  ///< nullptr if there is none
    bool released = false;            ///< the pad that it came from is gone
    bool held = false;                ///< until those before it have ended
  };

  /// See GstPipeline::Impl::of().
  static Impl& of(gpointer data) {
    Impl& self = *static_cast<Impl*>(data);
    (void)self.built_.load(std::memory_order_acquire);
    return self;
  }

  static GstPadProbeReturn on_pad_event(GstPad* pad, GstPadProbeInfo* info, gpointer data) {
    const auto type = GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info));
    if (type == GST_EVENT_EOS) of(data).note_input(pad, true);
    if (type == GST_EVENT_FLUSH_STOP) of(data).note_input(pad, false);
    return GST_PAD_PROBE_OK;
  }

  void note_input(GstPad* pad, bool ended) {
    std::optional<TrackKind> kind;
    {
      std::lock_guard lock{mutex_};
      const auto found = inputs_.find(pad);
      if (found == inputs_.end()) return;
      found->second.ended = ended;
      kind = found->second.kind;
      ending_ = ended;
    }
    if (ended) end_if_over(kind);
  }

  /// All data of a chain of this kind have left it.
  void note_end(std::optional<TrackKind> kind, bool by_itself) {
    {
      std::lock_guard lock{mutex_};
      if (by_itself) ending_ = true;
      note_done();
      let_proceed();
    }
    end_if_over(kind);
  }

  /// Call on a thread of this kind. It does not end another kind that has a thread of its own: to
  /// end is to wait until the sink has taken all, and a seek would wait for both.
  void end_if_over(std::optional<TrackKind> of) {
    for (const auto kind : kTrackKinds) {
      auto& to = funnel(kind);
      std::unique_lock lock{mutex_};
      const auto has_kind = [kind](const Chain& c) { return concerns(c.kind, kind); };
      const bool others = !concerns(of, kind) && std::ranges::any_of(chains_, has_kind);
      const auto opened = to.opened();
      if (others || opened == 0 || to.ended() || !over(kind)) continue;
      lock.unlock();
      to.end(opened);
    }
  }

  /// Whether no data of this kind are left or may follow. A demuxer that seeks may take its pads
  /// back before it makes others, so their absence alone is no end. Call with the mutex.
  bool over(TrackKind kind) const {
    const auto open = [kind](const auto& input) {
      return concerns(input.second.kind, kind) && !input.second.ended && !pulls(input.first);
    };
    const auto runs = [kind](const Chain& c) {
      return concerns(c.kind, kind) && !c.chain->ended();
    };
    return ending_ && std::ranges::none_of(inputs_, open) && std::ranges::none_of(chains_, runs);
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

  /// Whether one of those before `end` is about to end. Call with the mutex.
  bool waits(std::optional<TrackKind> kind, std::list<Chain>::const_iterator end) const {
    return std::any_of(chains_.begin(), end, [kind](const Chain& earlier) {
      const bool ends = earlier.released || (earlier.lane && GST_PAD_IS_EOS(earlier.lane->in()));
      return earlier.kind == kind && ends && !earlier.chain->ended();
    });
  }

  static bool done(const Chain& c) { return c.released && c.chain->ended(); }

  /// Call with the mutex.
  void note_done() { some_done_ = std::ranges::any_of(chains_, done); }

  TrackFunnel& funnel(TrackKind kind) {
    return kind == TrackKind::kPictures ? pictures_funnel_ : audio_funnel_;
  }

  GstElement* const bin_;
  const bool audio_;
  const std::shared_ptr<InputReport> report_;
  const std::shared_ptr<TrackJoiner> joiner_ = std::make_shared<TrackJoiner>();
  TrackFunnel pictures_funnel_;
  TrackFunnel audio_funnel_;
  std::atomic<bool> built_ = false;
  std::atomic<bool> some_done_ = false;  ///< remove_done() has something to do

  std::mutex mutex_;
  std::list<Chain> chains_;          // GUARDED_BY(mutex_)
  std::map<GstPad*, Input> inputs_;  // GUARDED_BY(mutex_)
  bool ending_ = false;              // GUARDED_BY(mutex_); the last event of an input was its end
  bool claimed_[2]{};                // GUARDED_BY(mutex_); by TrackKind
};

TrackChains::TrackChains(GstElement* bin, bool audio, std::shared_ptr<InputReport> report)
    : impl_{std::make_unique<Impl>(bin, audio, std::move(report))} {}

TrackChains::~TrackChains() = default;

void TrackChains::watch(GstPad* pad, std::optional<TrackKind> kind) { impl_->watch(pad, kind); }
void TrackChains::forget(GstPad* pad) { impl_->forget(pad); }
TrackChain* TrackChains::add(std::unique_ptr<TrackLane> lane, TrackKind kind) {
  GstPad* const pad = lane->out();
  return impl_->add(pad, std::move(lane), kind);
}
TrackChain* TrackChains::add(GstPad* pad, std::optional<TrackKind> kind) {
  return impl_->add(pad, nullptr, kind);
}
GstPad* TrackChains::claim(TrackKind kind) { return impl_->claim(kind); }
void TrackChains::let_go(TrackChain* chain) { impl_->let_go(chain); }
void TrackChains::remove_done() { impl_->remove_done(); }

}  // namespace transcoder
