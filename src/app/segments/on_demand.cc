#include "app/segments/on_demand.h"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/thread_time.h"
#include "transcoder/recode/recode.h"

namespace app {

namespace {

using segments::Segment;

// Rates are rounded down to powers of this, so that similar requests share a segment: from 300
// kbit/s to 5 Mbit/s there are 58. A larger step encodes fewer, and gives players less than they
// asked for. Players choose rates by estimates that err by more than this.
constexpr double kRateStep = 1.05;
// A group's own segment is sent if its rate is at least this share of the requested one.
constexpr double kMinSharedRateRatio = 0.95;
// Higher than the niceness of the groups' encoders (transcoder/encode/encode_group.cc), which must
// keep up with the source.
constexpr int kEncodeNiceness = 10;

int step_of(base::BitRate rate) {
  return static_cast<int>(
      std::floor(std::log(static_cast<double>(rate.bps())) / std::log(kRateStep)));
}

base::BitRate rate_of(int step) {
  return base::BitRate{static_cast<std::int64_t>(std::ceil(std::pow(kRateStep, step)))};
}

std::vector<media::PacketPtr> packets_of(const Segment& segment) {
  std::vector<media::PacketPtr> result;
  for (const auto& part : segment.parts) {
    result.insert(result.end(), part->packets().begin(), part->packets().end());
  }
  return result;
}

/// The segment to send or to encode from: one whose rate is close enough below `rate`, otherwise
/// the one with the highest rate.
std::optional<Segment> best_source(const LiveStream& stream, std::uint64_t number,
                                   base::BitRate rate) {
  const auto& store = stream.segments();
  const auto holders = store.holders(number);
  const auto rank = [&](const auto& holder) {
    const bool suffices = holder.rate <= rate && holder.rate >= kMinSharedRateRatio * rate;
    return std::pair{suffices, holder.rate};
  };
  const auto best = std::ranges::max_element(holders, {}, rank);
  return best == holders.end() ? std::nullopt : store.video(best->track, number);
}

/// On the calling thread.
OnDemand::Encoded recoded(const LiveStream& stream, const Segment& source, base::BitRate rate) {
  const auto begin = base::thread_cpu_time();
  const auto& settings = stream.media_settings();
  auto packets = transcoder::recode(packets_of(source), settings.encoder,
                                    {.rate = rate,
                                     .size = stream.frames_at(rate).size,
                                     .frame_rate = settings.video.max_frame_rate,
                                     .audio = settings.audio.enabled});
  return {std::move(packets), base::thread_cpu_time() - begin};
}

}  // namespace

OnDemand::OnDemand(double cpus)
    : cpus_{cpus}, encode_{recoded}, turns_{cpus, base::Clock::now()}, thread_{[this] { run(); }} {}

OnDemand::OnDemand(double cpus, Encode encode, base::Time now)
    : cpus_{cpus}, encode_{std::move(encode)}, turns_{cpus, now} {}

OnDemand::~OnDemand() {
  {
    std::lock_guard lock{mutex_};
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

OnDemand::State OnDemand::state() const {
  std::lock_guard lock{mutex_};
  auto state = state_;
  state.kept = coded_.size();
  return state;
}

OnDemand::Result OnDemand::get(const Request& request, base::Time now) {
  const auto from = best_source(*request.stream, request.number, request.rate);
  const auto known =
      without_encoding(from, request.stream->segments(), request.number, request.rate);
  std::lock_guard lock{mutex_};
  if (known) {
    if (std::holds_alternative<Segment>(*known)) ++state_.shared;
    return *known;
  }
  const Key key{request.stream->index(), request.number, step_of(request.rate)};
  const auto coded = coded_.find(key);
  if (coded == coded_.end()) return queue(key, request, *from, now);
  if (coded->second.segment || turns_.renew(coded->second.turn, now)) {
    return result_of(coded->second);
  }
  forget(coded->second.turn);
  return substitute(request, now);
}

OnDemand::Result OnDemand::get_another(const Request& request, base::Time now) {
  std::lock_guard lock{mutex_};
  return substitute(request, now);
}

std::optional<OnDemand::Result> OnDemand::without_encoding(const LiveStream& stream,
                                                           std::uint64_t number,
                                                           base::BitRate rate) const {
  return without_encoding(best_source(stream, number, rate), stream.segments(), number, rate);
}

std::optional<OnDemand::Result> OnDemand::without_encoding(const std::optional<Segment>& source,
                                                           const segments::SegmentStore& store,
                                                           std::uint64_t number,
                                                           base::BitRate rate) const {
  if (!source) return store.is_due(number) ? Result{Pending{}} : NotFound{};
  if (!source->complete) return Pending{};
  if (source->rate <= rate) return *source;
  return cpus_ == 0 ? std::optional<Result>{Disabled{}} : std::nullopt;
}

OnDemand::Result OnDemand::queue(const Key& key, const Request& request, Segment source,
                                 base::Time now) {
  const auto turn = ++last_turn_;
  const auto [accepted, displaced] = turns_.ask(turn, request.asker, now);
  if (displaced) forget(*displaced);
  if (!accepted) return substitute(request, now);
  coded_.emplace(key, CodedSegment{.stream = request.stream, .turn = turn});
  jobs_.emplace(turn, Job{key, request.stream, std::move(source), rate_of(key.rate)});
  wake_.notify_one();
  return Pending{};
}

/// Of the segments that there are, the one with the highest rate that is no higher than the
/// player's, or else the lowest rate of all: the player's picture goes on, perhaps late.
OnDemand::Result OnDemand::substitute(const Request& request, base::Time now) {
  std::optional<Segment> best;
  const auto consider = [&](const Segment& segment) {
    const auto rank = [&](const Segment& one) {
      const bool fits = one.rate <= request.rate;
      return std::pair{fits, fits ? one.rate.bps() : -one.rate.bps()};
    };
    if (!segment.complete || segment.parts.empty()) return;
    if (!best || rank(segment) > rank(*best)) best = segment;
  };
  const auto stream = request.stream->index();
  for (auto coded = coded_.lower_bound({stream, request.number, 0});
       coded != coded_.end() && coded->first.stream == stream &&
       coded->first.number == request.number;
       ++coded) {
    if (coded->second.segment) consider(*coded->second.segment);
  }
  const auto& store = request.stream->segments();
  for (const auto& holder : store.holders(request.number)) {
    if (const auto segment = store.video(holder.track, request.number)) consider(*segment);
  }
  if (!best) return NotFound{};
  ++state_.substituted;
  if (const auto times = substitutions_.count(now)) {
    base::log::warning("on_demand_substituted",
                       {{"stream", request.stream->name()},
                        {"times", *times},
                        {"hint", "raise on_demand.cpu if players shall have their own rates"}});
  }
  return *best;
}

/// Forgets a segment that has lost its place in the queue.
void OnDemand::forget(EncodeTurns::Id turn) {
  const auto job = jobs_.extract(turn);
  if (!job.empty()) coded_.erase(job.mapped().key);
}

OnDemand::Result OnDemand::result_of(CodedSegment& coded) {
  if (!coded.segment) return Pending{};
  if (coded.segment->parts.empty()) return Failed{};
  if (std::exchange(coded.delivered, true)) ++state_.shared;
  return *coded.segment;
}

void OnDemand::forget_old(base::Time now) {
  std::lock_guard lock{mutex_};
  for (const auto turn : turns_.take_abandoned(now)) forget(turn);
  std::erase_if(coded_, [](const auto& entry) {
    const auto& [key, coded] = entry;
    const auto stream = coded.stream.lock();
    return coded.segment && (!stream || stream->segments().has_expired(key.number));
  });
}

void OnDemand::run() {
  pthread_setname_np(pthread_self(), "on_demand");
  ::setpriority(PRIO_PROCESS, 0, kEncodeNiceness);  // raising it needs no privilege
  std::unique_lock lock{mutex_};
  while (!stopping_) {
    const auto now = base::Clock::now();
    if (const auto turn = turns_.take(now)) {
      const auto job = jobs_.extract(*turn);
      lock.unlock();
      const auto encoded = encode(job.mapped());
      lock.lock();
      store(job.mapped(), encoded, base::Clock::now());
    } else if (turns_.empty()) {
      wake_.wait(lock);
    } else {
      wake_.wait_for(lock, turns_.until_credit(now));
    }
  }
}

bool OnDemand::encode_next(base::Time now) {
  std::unique_lock lock{mutex_};
  const auto turn = turns_.take(now);
  if (!turn) return false;
  const auto job = jobs_.extract(*turn);
  lock.unlock();
  const auto encoded = encode(job.mapped());
  lock.lock();
  store(job.mapped(), encoded, now);
  return true;
}

OnDemand::Encoded OnDemand::encode(const Job& job) const {
  return encode_(*job.stream, job.source, job.rate);
}

/// REQUIRES: mutex_.
void OnDemand::store(const Job& job, const Encoded& encoded, base::Time now) {
  const auto& [packets, cpu_time] = encoded;
  Segment segment;
  if (packets) {
    const auto init = job.stream->segments().init_of(packets->front()->headers);
    segment = segments::with(job.source, *packets, init);
  }
  turns_.finish(cpu_time, now);
  state_.cpu_time += cpu_time;
  ++(packets ? state_.coded : state_.failed);
  coded_[job.key].segment = std::move(segment);
  if (packets) return;
  if (const auto times = failures_.count(now)) {
    base::log::error(
        "on_demand_failed",
        {{"stream", job.stream->name()}, {"reason", packets.error()}, {"times", *times}});
  }
}

}  // namespace app
