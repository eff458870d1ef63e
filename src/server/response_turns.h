#pragma once

#include "base/units.h"
#include "server/counters.h"
#include "server/event_loop.h"
#include "server/turn_queue.h"
#include "server/writing_time.h"

namespace server {

class Connection;

/// Lets the connections of one loop write their responses in WritingTime, and resumes those that
/// had to wait, the one that has waited longest first. Used on the loop's thread.
class ResponseTurns {
 public:
  /// `writing_ns` counts the nanoseconds of all writes. Both must outlive this object.
  ResponseTurns(EventLoop& loop, Counter& writing_ns);

  /// Whether the connection may write now. If not, it is resumed later.
  bool may_write(Connection* connection);
  void wrote(base::Time begin, base::Time end);
  void erase(Connection* connection) { waiting_.erase(connection); }
  /// The timer calls this.
  void end_rest();

 private:
  Counter& writing_ns_;
  WritingTime time_;
  TurnQueue<Connection> waiting_;
  EventLoop::RulePtr rest_;
};

}  // namespace server
