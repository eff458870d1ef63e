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

// Rates closer than that are one: 3 % at the lowest rate there may be.
constexpr base::BitRate kGrain = base::BitRate::kbps(1);
// A group's own segment does for a rate that is so little above its own.
constexpr double kNearEnough = 0.95;
// Beside the budget: what waits longer than a player would is not coded for him.
constexpr std::size_t kMostJobs = 8;
constexpr base::Duration kMostCredit = std::chrono::seconds{2};
constexpr base::Duration kSoonest = std::chrono::seconds{1};  // of Retry-After
// Of one of 2 s and 720p; the first one shows how much it is here. After a costly one, cheap ones
// lower it by and by: what is asked for again may be like the costly one.
constexpr base::Duration kFirstCost = std::chrono::milliseconds{500};
constexpr double kForget = 0.1;
// After the encoders of the groups (transcoder/encode/encode_group.cc: kNice), who are in a hurry.
constexpr int kNice = 10;

std::vector<media::PacketPtr> packets_of(const Segment& segment) {
  std::vector<media::PacketPtr> result;
  for (const auto& part : segment.parts) {
    result.insert(result.end(), part->packets().begin(), part->packets().end());
  }
  return result;
}

/// The best there is at `rate` or less, or else the best.
std::optional<Segment> source(const LiveStream& stream, std::uint64_t number, base::BitRate rate) {
  const auto& store = stream.segments();
  const auto holders = store.holders(number);
  const auto worth = [&](const auto& holder) {
    const bool does = holder.rate <= rate && holder.rate >= kNearEnough * rate;
    return std::pair{does, holder.rate};
  };
  const auto best = std::ranges::max_element(holders, {}, worth);
  return best == holders.end() ? std::nullopt : store.video(best->track, number);
}

}  // namespace

OnDemand::OnDemand(double cpus)
    : cpus_{cpus},
      credit_{kMostCredit},
      cost_{kFirstCost},
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
  const auto from = source(*request.stream, request.number, request.rate);
  const bool is_due = request.stream->segments().is_due(request.number);
  if (!from) return is_due ? Result{Pending{}} : Gone{};
  if (!from->complete) return Pending{};
  std::lock_guard lock{mutex_};
  if (from->rate <= request.rate) {
    ++state_.shared;
    return *from;
  }
  const Key key{request.stream->index(), request.number, request.rate.bps() / kGrain.bps()};
  if (const auto coded = coded_.find(key); coded != coded_.end()) return known(coded->second);
  if (cpus_ == 0) return Off{};
  if (const auto refused = too_much(now)) return *refused;
  coded_.emplace(key, CodedSegment{.stream = request.stream});
  jobs_.push_back({key, request.stream, *from, base::BitRate{key.rate * kGrain.bps()}});
  wake_.notify_one();
  return Pending{};
}

OnDemand::Result OnDemand::known(CodedSegment& coded) {
  if (!coded.segment) return Pending{};
  if (coded.segment->parts.empty()) return Failed{};
  if (std::exchange(coded.given, true)) ++state_.shared;
  return *coded.segment;
}

std::optional<OnDemand::Refused> OnDemand::too_much(base::Time now) {
  const auto passed = std::chrono::duration_cast<base::Duration>(cpus_ * (now - credited_));
  credit_ = std::min(credit_ + passed, kMostCredit);
  credited_ = now;
  const auto promised = static_cast<std::int64_t>(jobs_.size()) * cost_;
  if (jobs_.size() < kMostJobs && credit_ > promised) return {};
  ++state_.refused;
  const auto missing = base::seconds(promised + cost_ - credit_);
  return Refused{std::max(kSoonest, base::from_seconds(missing / cpus_))};
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
  ::setpriority(PRIO_PROCESS, 0, kNice);  // a thread may always be nicer
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
  cost_ = std::max(taken, cost_ + std::chrono::round<base::Duration>(kForget * (taken - cost_)));
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
