#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "server/address.h"
#include "server/output_queue.h"

namespace server {

/// What a handler keeps of one connection for as long as it is open.
class LinkNote {
 public:
  virtual ~LinkNote() = default;
};

/// The connection that an answer goes out on. Used on its loop thread.
struct Link {
  int fd = -1;
  std::unique_ptr<LinkNote> note{};  ///< the handler's
};

/// A GET or HEAD of what is neither a page nor an endless stream.
struct AnswerRequest {
  std::string path;
  std::string query;
  Address address;
  std::string user_agent;
  int loop = 0;  ///< the event loop whose thread it is; counts from 0
};

struct AnswerHead {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::optional<std::size_t> length;  ///< bytes of the body; empty: not known yet
  std::string cache_control = "no-store";
  std::vector<std::string> fields;  ///< further ones: "Name: value"
};

/// A response that is made while it is sent: of a segment under way, of a playlist that is not yet
/// what was asked for, of events. Owned by its connection; every call, and the destructor, comes
/// on its loop thread.
class Answer {
 public:
  struct Step {
    std::optional<AnswerHead> head;  ///< once, before any body
    std::vector<SharedBytes> body;   ///< beyond what earlier steps gave
    bool complete = false;
  };
  /// What makes a call of next() worth while, when the last one gave nothing.
  struct Wait {
    std::optional<std::uint32_t> stream;  ///< a packet of it has been published
    std::optional<base::Time> until;      ///< that time has come, to 50 ms
  };

  virtual ~Answer() = default;
  /// What there is to send by now. Called first at once; then when all it gave has been taken by
  /// the kernel, and after wait(); not after it was complete. What it throws ends the connection.
  virtual Step next(Link& link, base::Time now) = 0;
  /// Asked for when next() gave nothing.
  virtual Wait wait() const { return {}; }
};

}  // namespace server
