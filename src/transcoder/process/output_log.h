#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/log_period.h"
#include "base/unique_fd.h"

namespace transcoder {

/// Writes to the log what a source's process, that is, its libraries, prints: one line per 10 s.
/// Used on one thread.
class OutputLog {
 public:
  /// `pipe`: the end to read, without waiting. `stream`: the stream's name.
  OutputLog(base::UniqueFd pipe, std::string stream)
      : pipe_{std::move(pipe)}, stream_{std::move(stream)} {}

  int fd() const { return pipe_.get(); }  ///< to poll; -1 once the process has closed it
  /// Takes what has arrived.
  void read();

 private:
  void take(std::string_view text);
  void append(std::string_view text);
  void write();

  base::UniqueFd pipe_;
  const std::string stream_;
  base::LogPeriod period_;
  std::string line_;  ///< the last one, without its end
};

}  // namespace transcoder
