#include "server/response_turns.h"

#include <cstddef>
#include <cstdint>

#include "server/connection.h"

namespace server {

ResponseTurns::ResponseTurns(EventLoop& loop, Counter& writing_ns)
    : writing_ns_{writing_ns}, rest_{loop.timer("responses", [this] { end_rest(); })} {}

bool ResponseTurns::may_write(Connection* connection) {
  if (time_.resting()) {
    waiting_.insert(connection);
    return false;
  }
  waiting_.erase(connection);
  return true;
}

void ResponseTurns::wrote(base::Time begin, base::Time end) {
  writing_ns_.add(static_cast<std::uint64_t>((end - begin).count()));
  if (const auto rest = time_.wrote(begin, end)) rest_->arm(*rest);
}

void ResponseTurns::end_rest() {
  time_.rested();
  const auto now = base::Clock::now();
  waiting_.take_turns(waiting_.size(), 1, [&](Connection& connection) {
    connection.resume(now);
    return time_.resting() ? std::size_t{1} : 0;
  });
}

}  // namespace server
