#pragma once

#include <algorithm>

namespace app {

/// Tells when to give freed memory back to the system (malloc_trim). The C library keeps what
/// thousands of clients have freed, for others who may come: between pieces that are still in use,
/// it could give back nothing by itself. A look at all of it takes some milliseconds, so that it
/// has to be worth it. No I/O, no clock.
class FreedMemory {
 public:
  // The heap kept 3 to 7 KB for each (bench/hostile clients tokens, stream), so these have freed
  // 1.5 MB at least. With fewer, we would look whenever a usual audience changes.
  static constexpr int kWorthIt = 500;

  /// Call several times per second with the number of clients there are. True once they have
  /// become half as many as before, and no longer do.
  bool due(int clients) {
    const bool fell = clients <= most_ / 2 && most_ - clients >= kWorthIt;
    most_ = fell ? clients : std::max(most_, clients);
    const bool due = falling_ && !fell;
    falling_ = fell;
    return due;
  }

 private:
  int most_ = 0;  ///< since they last fell
  bool falling_ = false;
};

}  // namespace app
