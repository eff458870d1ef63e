#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <system_error>

#include "app/stream/ladder.h"
#include "fuzz/check.h"
#include "fuzz/target.h"

// Viewers who join, report, prove, claim and leave in any order, on a machine whose encoders fail
// at times. The input is a list of steps: a byte with the Step and one with the viewer, and for
// some a number.

namespace {

using namespace std::chrono_literals;
using app::GroupIndex;
using app::Ladder;
using app::ViewerId;
using base::BitRate;

enum class Step : std::uint8_t { kJoin, kReport, kDrain, kProve, kLeave, kTick, kWait, kMachine };
constexpr unsigned kSteps = 8;
constexpr unsigned kViewers = 48;  // a crowd has 20
constexpr std::uint16_t kMinKbps = 50;

BitRate rate_in(fuzz::Input& input) {
  return BitRate::kbps(kMinKbps + input.take<std::uint16_t>() % 8000);
}

class Audience final : app::LadderActions {
 public:
  void act(Step step, fuzz::Input& input) {
    const ViewerId viewer = input.take<std::uint8_t>() % kViewers;
    switch (step) {
      case Step::kJoin:
        join(viewer, rate_in(input));
        break;
      case Step::kReport:
        ladder_.report(viewer, {rate_in(input), abr::Reason::kCapacity}, now_);
        break;
      case Step::kDrain: {
        const auto sustains = rate_in(input);
        ladder_.report(viewer, {0.5 * sustains, abr::Reason::kBacklog, sustains}, now_);
        break;
      }
      case Step::kProve: {
        const auto standing =
            static_cast<abr::Standing>(input.take<std::uint8_t>() % abr::kStandings);
        ladder_.set_standing(viewer, standing, now_);
        break;
      }
      case Step::kLeave:
        leave(viewer);
        break;
      case Step::kTick:
        tick();
        break;
      case Step::kWait:
        now_ += std::chrono::milliseconds{input.take<std::uint16_t>()};
        break;
      case Step::kMachine:
        machine(viewer, input.take<std::uint8_t>());
        break;
    }
    check();
  }

  /// A viewer who takes media has the rate that they can take, whatever the others claim.
  void serve_one() {
    constexpr ViewerId kHonest = kViewers;
    encoders_fail_ = false;
    for (const auto viewer : viewers_) ladder_.set_standing(viewer, abr::Standing::kModest, now_);
    join(kHonest, BitRate::mbps(5));
    ladder_.set_standing(kHonest, abr::Standing::kProven, now_);
    ladder_.report(kHonest, {BitRate::mbps(5), abr::Reason::kCapacity}, now_);
    pass(40s);
    const auto group = ladder_.group_of(kHonest);
    CHECK(group && ladder_.rate_of(*group) >= 0.85 * BitRate::mbps(5),
          ladder_.rate_of(*group).bps());
  }

  void all_leave() {
    while (!viewers_.empty()) leave(*viewers_.begin());
    pass(20s);
    CHECK(open_.empty(), open_.size());
  }

 private:
  void open(GroupIndex group, BitRate rate) override {
    if (encoders_fail_) throw std::system_error{EAGAIN, std::generic_category()};
    CHECK(open_.insert(group).second, group);
    retarget(group, rate);
  }
  void close(GroupIndex group) override { CHECK(open_.erase(group) == 1, group); }
  void retarget(GroupIndex group, BitRate rate) override {
    CHECK(open_.contains(group), group);
    CHECK(rate.bps() > 0, rate.bps());
  }
  media::Pts schedule_keyframe(GroupIndex group, base::Duration earliest) override {
    CHECK(open_.contains(group), group);
    return now_ - kBegin + earliest;
  }
  void move(ViewerId viewer, GroupIndex group, media::Pts, abr::Reason) override {
    CHECK(open_.contains(group) && viewers_.contains(viewer), group, viewer);
  }

  void join(ViewerId viewer, BitRate sustains) {
    if (viewers_.contains(viewer)) return;
    try {
      ladder_.join(viewer, sustains, now_);
      viewers_.insert(viewer);
    } catch (const std::system_error&) {
      CHECK(encoders_fail_);
    }
  }

  void leave(ViewerId viewer) {
    ladder_.leave(viewer, now_);
    viewers_.erase(viewer);
  }

  void machine(ViewerId number, std::uint8_t kind) {
    if (kind % 3 == 0) ladder_.limit(number % 5);
    if (kind % 3 == 1) ladder_.shed(now_);
    if (kind % 3 == 2) encoders_fail_ = number % 2 == 0;
  }

  void tick() {
    now_ += 250ms;
    ladder_.tick(now_);
  }
  void pass(base::Duration time) {
    for (const auto end = now_ + time; now_ < end;) {
      tick();
      check();
    }
  }

  void check() {
    std::map<GroupIndex, std::size_t> members;
    for (const auto viewer : viewers_) {
      const auto group = ladder_.group_of(viewer);
      CHECK(group && open_.contains(*group), viewer);
      ++members[*group];
    }
    const auto state = ladder_.state();
    for (const auto& [index, group] : state.groups) {
      CHECK(group.viewers == members[index], index, group.viewers, members[index]);
      CHECK(group.viewers == 0 || !ladder_.serves_one(index) || group.viewers == 1, index);
    }
    std::size_t sum = 0;
    for (const auto count : state.viewers) sum += count;
    CHECK(sum == viewers_.size(), sum, viewers_.size());
  }

  static constexpr base::Time kBegin{1h};
  base::Time now_ = kBegin;
  const transcoder::MediaClock media_clock_{{.monotonic = kBegin}};
  bool encoders_fail_ = false;
  std::set<GroupIndex> open_;
  std::set<ViewerId> viewers_;
  Ladder ladder_{
      {.max = 0, .linger = 5s}, transcoder::StreamClock{media_clock_, 2s, kBegin}, *this};
};

}  // namespace

FUZZ_TARGET(ladder) {
  Audience audience;
  while (!input.empty()) {
    const auto step = static_cast<Step>(input.take<std::uint8_t>() % kSteps);
    audience.act(step, input);
  }
  audience.serve_one();
  audience.all_leave();
}
