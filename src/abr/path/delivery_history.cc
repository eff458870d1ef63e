#include "abr/path/delivery_history.h"

#include <algorithm>

namespace abr {

void DeliveryHistory::add(const Snapshot& snapshot) {
  if (count_ > 0) {
    const Snapshot& newest = snapshots_[(count_ - 1) % kMaxSnapshots];
    const bool more =
        snapshot.delivered + snapshot.outstanding > newest.delivered + newest.outstanding;
    if (!more && snapshot.at - newest.at < kMinSnapshotGap) return;
  }
  snapshots_[count_++ % kMaxSnapshots] = snapshot;
}

const DeliveryHistory::Snapshot* DeliveryHistory::before(base::Time time) const {
  for (std::size_t i = 0; i < std::min(count_, kMaxSnapshots); ++i) {
    const Snapshot& snapshot = snapshots_[(count_ - 1 - i) % kMaxSnapshots];
    if (snapshot.at <= time) return &snapshot;
  }
  return nullptr;
}

}  // namespace abr
