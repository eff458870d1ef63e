#pragma once

#include <memory>

#include "app/top/table.h"
#include "base/unique_fd.h"
#include "base/units.h"

struct termios;

namespace app {

/// The terminal (or file) that shows the table, and the input that ends it. While it lives, it
/// receives SIGINT and SIGTERM, and keys without Enter if standard input is a terminal. Only one
/// may exist at a time.
class Terminal {
 public:
  Terminal();
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  bool is_one() const { return is_one_; }  ///< standard output is a terminal, not a file or a pipe
  TableSize size() const;                  ///< of the whole screen; unlimited if there is none
  /// False if the user ends it: q, SIGINT or SIGTERM.
  bool wait_until(base::Time time) const;

 private:
  const bool is_one_;
  base::UniqueFd signals_;
  std::unique_ptr<termios> before_;  ///< null if standard input is no terminal
};

}  // namespace app
