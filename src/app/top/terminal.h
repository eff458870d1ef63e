#pragma once

#include <memory>

#include "app/top/table.h"
#include "base/unique_fd.h"
#include "base/units.h"

struct termios;

namespace app {

/// Where the table is shown, and what ends it. While this lives, SIGINT and SIGTERM are taken here,
/// and keys come without Enter where standard input is a terminal. One at a time.
class Terminal {
 public:
  Terminal();
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  bool is_one() const { return is_one_; }  ///< standard output is a terminal, not a file or a pipe
  TableSize size() const;                  ///< of the whole screen; where there is none, unlimited
  /// False when the user wants to end: q, SIGINT, SIGTERM.
  bool wait_until(base::Time time) const;

 private:
  const bool is_one_;
  base::UniqueFd signals_;
  std::unique_ptr<termios> before_;  ///< null: standard input gives no keys
};

}  // namespace app
