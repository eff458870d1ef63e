#pragma once

#include <chrono>

#include "server/write_merging.h"

namespace server {

/// Makes `merging` that of a loop which is so busy that a write takes three frames.
inline void make_busy(WriteMerging& merging) {
  using std::chrono::milliseconds;
  for (auto began = base::Clock::now(); merging.frames(milliseconds{33}) < 3;
       began += milliseconds{500}) {
    merging.passed(began, began + milliseconds{400});
  }
}

}  // namespace server
