#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "app/top/connection.h"

/// The table of `symcast top` as lines of text. Pure.
namespace app {

struct TableSize {
  static constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();
  std::size_t columns = kAny;  ///< of text: what matters least is left out until it fits
  std::size_t rows = kAny;     ///< connections beyond it are counted only
};

/// The titles, a line for each connection, and one of the totals. ">" before a delivery rate: the
/// sender had no more to send, the path may carry more (draft-cheng-iccrg-delivery-rate-
/// estimation).
std::vector<std::string> table(const std::vector<Connection>& connections, TableSize size);

}  // namespace app
