#pragma once

#include <algorithm>

namespace app {

/// Tells when to give freed memory back to the system (malloc_trim). The C library keeps what
/// thousands of clients have freed, for others who may come: between pieces that are still in use,
/// it could give back nothing by itself. A look at all of it takes some milliseconds, so that it
/// has to be worth it. No I/O, no clock.
class FreedMemory {
 public:
  // Each client has used 4 to 10 KB, so these have freed 2 MB at least. Fewer would be looked for
  // when a usual audience changes.
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
