#include "server/writing_time.h"

#include <utility>

namespace server {

std::optional<base::Duration> WritingTime::wrote(base::Time begin, base::Time end) {
  if (begin - last_ >= kSpell) spent_ = {};  // that was a rest
  spent_ += end - begin;
  last_ = end;
  if (spent_ < kSpell) return std::nullopt;
  resting_ = true;
  return std::exchange(spent_, {});
}

}  // namespace server
