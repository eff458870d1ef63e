#include "abr/path/delivery_history.h"

namespace abr {

void DeliveryHistory::add(const Snapshot& snapshot) {
  if (!snapshots_.empty()) {
    const Snapshot& newest = snapshots_[snapshots_.size() - 1];
    const bool more =
        snapshot.delivered + snapshot.outstanding > newest.delivered + newest.outstanding;
    if (!more && snapshot.at - newest.at < kMinSnapshotGap) return;
  }
  const auto enough = snapshot.at - kKeptFor;
  while (snapshots_.size() > 1 && snapshots_[1].at <= enough) snapshots_.pop_front();
  if (snapshots_.size() == kMaxSnapshots) snapshots_.pop_front();
  snapshots_.push_back(snapshot);
}

const DeliveryHistory::Snapshot* DeliveryHistory::before(base::Time time) const {
  for (std::size_t i = snapshots_.size(); i-- > 0;) {
    if (snapshots_[i].at <= time) return &snapshots_[i];
  }
  return nullptr;
}

}  // namespace abr
