#include "abr/path/delivery_history.h"

#include <algorithm>

namespace abr {

void DeliveryHistory::add(const Mark& mark) {
  if (count_ > 0) {
    const Mark& newest = marks_[(count_ - 1) % kMarks];
    const bool more = mark.delivered + mark.under_way > newest.delivered + newest.under_way;
    if (!more && mark.at - newest.at < kApart) return;
  }
  marks_[count_++ % kMarks] = mark;
}

const DeliveryHistory::Mark* DeliveryHistory::before(base::Time time) const {
  for (std::size_t i = 0; i < std::min(count_, kMarks); ++i) {
    const Mark& mark = marks_[(count_ - 1 - i) % kMarks];
    if (mark.at <= time) return &mark;
  }
  return nullptr;
}

}  // namespace abr
