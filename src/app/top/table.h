#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "app/top/connection.h"

/// The table of `symcast top` as lines of text. No I/O, no clock.
namespace app {

struct TableSize {
  static constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();
  std::size_t columns = kUnlimited;  ///< of text; the least important columns are left out to fit
  std::size_t rows = kUnlimited;     ///< connections beyond this are only counted
};

/// The titles, a line per connection, and the totals. ">" before a delivery rate means that the
/// sender had no more to send, so the path may carry more
/// (draft-cheng-iccrg-delivery-rate-estimation).
std::vector<std::string> table(const std::vector<Connection>& connections, TableSize size);

}  // namespace app
