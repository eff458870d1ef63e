#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "server/address.h"
#include "server/output_queue.h"
#include "server/slots.h"

namespace server {

struct ResponseConnection;

/// What a handler keeps of one connection for as long as it is open. Used on its loop thread.
class ConnectionState {
 public:
  virtual ~ConnectionState() = default;  ///< the socket is still open
  /// 20 times per second.
  virtual void on_tick(const ResponseConnection& connection, base::Time now) = 0;
};

/// The connection that an answer goes out on. Used on its loop thread.
struct ResponseConnection {
  int fd = -1;
  std::uint64_t sent = 0;                    ///< bytes taken by the kernel since accept
  bool head_only = false;                    ///< of the present answer no body is sent
  std::unique_ptr<ConnectionState> state{};  ///< the handler's
};

/// Where whoever is to count as a viewer gets his place. Thread-safe; must outlive the slots.
struct ViewerSlots {
  Slots& slots;
  std::atomic<std::uint64_t>& last_viewer;  ///< ViewerId: add one for a new viewer's
};

/// A GET or HEAD of what is neither a page nor an endless stream.
struct HandlerRequest {
  std::string path;
  std::string query;
  Address address;
  std::string user_agent;
  bool head = false;  ///< HEAD: who asks is no viewer yet
  int loop = 0;       ///< the event loop whose thread it is; counts from 0
  ViewerSlots viewer_slots;
};

// A viewer's place frees when another leaves; sooner than this a retry is only load.
inline constexpr int kRetryAfter = 5;

struct ResponseHead {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::optional<std::size_t> length;  ///< bytes of the body; empty: not known yet
  std::string cache_control = "no-store";
  std::vector<std::string> fields;  ///< further ones: "Name: value"
  int retry_after = kRetryAfter;    ///< seconds; of 503
  bool media = false;               ///< pages of other origins may use it: Settings::cors_allow
};

/// A response that is made while it is sent: of a segment under way, of a playlist that is not yet
/// what was asked for, of events. Owned by its connection; every call, and the destructor, comes
/// on its loop thread.
class StreamingResponse {
 public:
  struct Chunk {
    std::optional<ResponseHead> head;  ///< once, before any body
    std::vector<SharedBytes> body;     ///< beyond what earlier steps gave
    bool complete = false;
  };
  /// What makes a call of next() worth while, when the last one gave nothing.
  struct Wait {
    std::optional<std::uint32_t> stream;  ///< a packet of it has been published
    std::optional<base::Time> until;      ///< that time has come, to 50 ms
  };

  virtual ~StreamingResponse() = default;
  /// What there is to send by now. Called first at once; then when all it gave has been taken by
  /// the kernel, and after wait(); not after it was complete. What it throws ends the connection.
  virtual Chunk next(ResponseConnection& connection, base::Time now) = 0;
  /// Asked for when next() gave nothing.
  virtual Wait wait() const { return {}; }
};

}  // namespace server
