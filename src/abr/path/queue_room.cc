#include "abr/path/queue_room.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "abr/path/path_math.h"

namespace abr {

namespace {

using namespace std::chrono_literals;

// Effects of other values: segments that are sent again, of 1000, on the worst of 100 links of
// `sim_family --tuning --short-queues --count 300` (9 with CUBIC, 15 with BBR). The means of QoE
// stay within 0.005.

// Losses that have to agree. With 3: 11 and 17. With 8: 11 and 21.
constexpr std::size_t kLeastLosses = 5;
// The smallest room is at least this share of the median. With 0.8: 11 and 31. With 0.4: 9 and
// 16, and random losses agree by accident more often.
constexpr double kAgreement = 0.6;
// Growth of the room while nothing is lost. A faster one loses a segment more often, a slower one
// keeps the pace low for longer when the queue is longer, or another. With 20 %: 9 and 17.
constexpr double kRoomGrowth = 1.1;
constexpr base::Duration kRoomGrowthTime = 5s;
// Then the room has grown threefold, and the losses are forgotten. Not measured against other
// values.
constexpr base::Duration kMemory = 60s;

}  // namespace

void QueueRoom::update(const Observation& o, base::BitRate capacity, base::Time now) {
  if (!o.frames.empty()) frame_begins_ = o.frames.back().end;
  const bool began = !std::exchange(recovering_, o.recovering) && o.recovering;
  const auto pace = std::max(o.pacing, std::exchange(pacing_, o.pacing));
  if (o.rexmt > 0) count_ = 0;  // the path may be another
  if ((o.dupack == 0 && !began) || o.rexmt > 0 || capacity.bps() == 0) return;
  const auto position = static_cast<double>((o.acknowledged - frame_begins_).bytes());
  // The loss has made TCP's own pacing slower.
  const double stays = pace.bps() > 0 ? 1 - capacity / pace : 1;
  if (position >= 0 && stays > 0) add(position * stays, now);
}

void QueueRoom::add(double room, base::Time now) {
  if (now - std::exchange(newest_, now) > kMemory) count_ = 0;
  rooms_[count_++ % kNewestLosses] = room;
}

base::ByteCount QueueRoom::room(base::Time now) const {
  if (count_ < kLeastLosses || now - newest_ > kMemory) return {};
  auto rooms = rooms_;
  const auto end = rooms.begin() + static_cast<std::ptrdiff_t>(std::min(count_, kNewestLosses));
  std::sort(rooms.begin(), end);
  const double median = rooms[static_cast<std::size_t>(end - rooms.begin()) / 2];
  if (rooms.front() < kAgreement * median) return {};
  const double growth =
      std::pow(kRoomGrowth, base::seconds(now - newest_) / base::seconds(kRoomGrowthTime));
  return base::ByteCount{static_cast<std::int64_t>(rooms.front() * growth)};
}

}  // namespace abr
