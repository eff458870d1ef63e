#include "app/segments/on_demand.h"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/thread_time.h"
#include "transcoder/recode/recode.h"

namespace app {

namespace {

using segments::Segment;

// Rates are rounded down to this, so that similar requests share a segment. At the lowest possible
// rate it is 3 %.
constexpr base::BitRate kRateStep = base::BitRate::kbps(1);
// A group's own segment is sent if its rate is at least this share of the requested one.
constexpr double kMinSharedRateRatio = 0.95;
// Limits the wait, in addition to the CPU budget: in a longer queue the player would time out.
constexpr std::size_t kMaxJobs = 8;
// CPU time saved up while there is nothing to encode. More allows longer bursts.
constexpr base::Duration kMaxCpuCredit = std::chrono::seconds{2};
constexpr base::Duration kMinRetryAfter =
    std::chrono::seconds{1};  // Retry-After counts whole seconds
// CPU time expected for a segment, at first that of 2 s at 720p. A more expensive segment raises it
// at once; a cheaper one lowers it by this share of the difference, because the next request may
// repeat the expensive one.
constexpr base::Duration kInitialCost = std::chrono::milliseconds{500};
constexpr double kCostDecay = 0.1;
// Higher than the niceness of the groups' encoders (transcoder/encode/encode_group.cc), which must
// keep up with the source.
constexpr int kEncodeNiceness = 10;

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

}  // namespace

OnDemand::OnDemand(double cpus)
    : cpus_{cpus},
      credit_{kMaxCpuCredit},
      cost_{kInitialCost},
      credited_{base::Clock::now()},
      thread_{[this] { run(); }} {}

OnDemand::~OnDemand() {
  {
    std::lock_guard lock{mutex_};
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

OnDemand::State OnDemand::state() const {
  std::lock_guard lock{mutex_};
  return state_;
}

OnDemand::Result OnDemand::get(const Request& request, base::Time now) {
  const auto from = best_source(*request.stream, request.number, request.rate);
  const bool is_due = request.stream->segments().is_due(request.number);
  if (!from) return is_due ? Result{Pending{}} : NotFound{};
  if (!from->complete) return Pending{};
  std::lock_guard lock{mutex_};
  if (from->rate <= request.rate) {
    ++state_.shared;
    return *from;
  }
  const Key key{request.stream->index(), request.number, request.rate.bps() / kRateStep.bps()};
  if (const auto coded = coded_.find(key); coded != coded_.end()) return result_of(coded->second);
  if (cpus_ == 0) return Disabled{};
  if (const auto refused = over_budget(now)) return *refused;
  coded_.emplace(key, CodedSegment{.stream = request.stream});
  jobs_.push_back({key, request.stream, *from, base::BitRate{key.rate * kRateStep.bps()}});
  wake_.notify_one();
  return Pending{};
}

OnDemand::Result OnDemand::result_of(CodedSegment& coded) {
  if (!coded.segment) return Pending{};
  if (coded.segment->parts.empty()) return Failed{};
  if (std::exchange(coded.delivered, true)) ++state_.shared;
  return *coded.segment;
}

std::optional<OnDemand::Refused> OnDemand::over_budget(base::Time now) {
  const auto passed = std::chrono::duration_cast<base::Duration>(cpus_ * (now - credited_));
  credit_ = std::min(credit_ + passed, kMaxCpuCredit);
  credited_ = now;
  const auto promised = static_cast<std::int64_t>(jobs_.size()) * cost_;
  if (jobs_.size() < kMaxJobs && credit_ > promised) return {};
  ++state_.refused;
  const auto missing = base::seconds(promised + cost_ - credit_);
  return Refused{std::max(kMinRetryAfter, base::from_seconds(missing / cpus_))};
}

void OnDemand::forget_old() {
  std::lock_guard lock{mutex_};
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
  while (true) {
    wake_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
    if (stopping_) return;
    const auto job = jobs_.front();
    lock.unlock();
    code(job);
    lock.lock();
  }
}

void OnDemand::code(const Job& job) {
  const auto begin = base::thread_cpu_time();
  const auto& settings = job.stream->media_settings();
  const auto packets = transcoder::recode(packets_of(job.source), settings.encoder,
                                          {.rate = job.rate,
                                           .size = job.stream->frames_at(job.rate).size,
                                           .frame_rate = settings.video.max_frame_rate,
                                           .audio = settings.audio.enabled});
  Segment segment;
  if (packets) {
    const auto init = job.stream->segments().init_of(packets->front()->headers);
    segment = segments::with(job.source, *packets, init);
  }
  std::lock_guard lock{mutex_};
  const auto taken = base::thread_cpu_time() - begin;
  cost_ = std::max(taken, cost_ + std::chrono::round<base::Duration>(kCostDecay * (taken - cost_)));
  credit_ -= taken;
  state_.cpu_time += taken;
  ++(packets ? state_.coded : state_.failed);
  coded_[job.key].segment = std::move(segment);
  jobs_.pop_front();
  if (packets) return;
  if (const auto times = failures_.count(base::Clock::now())) {
    base::log::error(
        "on_demand_failed",
        {{"stream", job.stream->name()}, {"reason", packets.error()}, {"times", *times}});
  }
}

}  // namespace app
