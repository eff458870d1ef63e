#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "app/stream/ladder.h"
#include "population.h"
#include "result.h"
#include "transcoder/encode/keyframe_clock.h"
#include "transcoder/settings.h"

namespace ladder_bench {

/// The server's ladder, with the keyframes of its groups and each viewer's moves between groups.
class LivingLadder final : private app::LadderActions {
 public:
  LivingLadder(int groups, std::size_t viewers)
      : served_(viewers),
        ladder_{{.max = groups}, {media_clock_, std::chrono::seconds{2}, kEpoch}, *this} {}

  void join(std::size_t viewer, BitRate sustains, base::Time now) {
    served_[viewer] = {ladder_.join(viewer, sustains, now), {}, {}};
  }

  void report(const Viewers& viewers, base::Time now) {
    now_ = now;
    for (std::size_t v = 0; v < served_.size(); ++v) {
      ladder_.report(v, {viewers.sustains(v), abr::Reason::kCapacity}, now);
    }
  }

  void tick(base::Time now) {
    ladder_.tick(now);
    for (; encoded_ <= now - kEpoch; encoded_ += kFrame) {
      for (auto& [group, clock] : clocks_) {
        const auto cause = clock.take(encoded_, false);
        forced_ += cause == transcoder::KeyframeClock::Cause::kScheduled;
      }
    }
  }

  void measure(const Viewers& viewers, base::Time now, Result& result) {
    const auto state = ladder_.state();
    for (std::size_t v = 0; v < served_.size(); ++v) {
      auto& served = served_[v];
      if (served.next && served.at <= now - kEpoch) served.group = *std::exchange(served.next, {});
      result.add(viewers.sustains(v), state.groups.at(served.group).rate);
    }
    result.groups += static_cast<double>(state.groups.size());
    ++result.ticks;
  }

  std::uint64_t moves() const {
    std::uint64_t sum = 0;
    for (const auto& [reason, count] : ladder_.state().moves) sum += count;
    return sum;
  }
  std::uint64_t forced() const { return forced_; }

 private:
  struct Served {
    app::Ladder::GroupIndex group = 0;
    std::optional<app::Ladder::GroupIndex> next;
    media::Pts at{};
  };

  transcoder::KeyframeClock& clock(app::Ladder::GroupIndex group) {
    static const transcoder::EncoderSettings kSettings;
    return clocks_
        .try_emplace(group, kSettings.keyframe_interval, kSettings.forced_keyframe_interval)
        .first->second;
  }

  void open(app::GroupIndex, base::BitRate) override {}
  void close(app::GroupIndex group) override { clocks_.erase(group); }
  void retarget(app::GroupIndex, base::BitRate) override {}
  media::Pts schedule_keyframe(app::GroupIndex group, base::Duration earliest) override {
    return clock(group).schedule(now_ - kEpoch + earliest);
  }
  void move(app::ViewerId viewer, app::GroupIndex group, media::Pts at, abr::Reason) override {
    served_[viewer].next = group;
    served_[viewer].at = at;
  }

  std::vector<Served> served_;
  std::map<app::Ladder::GroupIndex, transcoder::KeyframeClock> clocks_;
  base::Time now_ = kBegin;
  media::Pts encoded_ = kBegin - kEpoch;
  std::uint64_t forced_ = 0;
  transcoder::MediaClock media_clock_{{.monotonic = kEpoch}};
  app::Ladder ladder_;
};

}  // namespace ladder_bench
