#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "server/client.h"
#include "server/output_queue.h"
#include "server/places.h"

namespace server {

struct ResponseConnection;

/// A handler's state of one connection, kept while the connection is open. Used on its loop thread.
class ConnectionState {
 public:
  virtual ~ConnectionState() = default;  ///< the socket is still open
  /// Called 20 times per second, or less often if there are too many such calls (TurnQueue).
  /// Returns whether it has asked the kernel something.
  virtual bool on_tick(const ResponseConnection& connection, base::Time now) = 0;
};

/// The connection on which a response is sent. Used on its loop thread.
struct ResponseConnection {
  int fd = -1;
  std::uint64_t sent = 0;                    ///< bytes taken by the kernel since accept
  bool head_only = false;                    ///< the present response is sent without its body
  std::unique_ptr<ConnectionState> state{};  ///< set by the handler, or null
};

/// Places and IDs for viewers that the handler admits itself. Thread-safe; outlives the places
/// taken.
struct ViewerPlaces {
  Places& places;
  std::atomic<std::uint64_t>& last_viewer;  ///< the last ViewerId; increment it for a new one
};

/// A GET or HEAD of a path that is neither a page nor an endless stream.
struct HandlerRequest {
  std::string path;   ///< percent-decoded
  std::string query;  ///< after '?', undecoded
  Client client;
  std::string user_agent;
  bool head = false;  ///< HEAD: does not make the client a viewer
  int loop = 0;       ///< index of the event loop that calls, from 0
  ViewerPlaces viewer_places;
};

// A place becomes free only when a viewer leaves, so an earlier retry mostly adds load.
inline constexpr int kRetryAfterSeconds = 5;

struct ResponseHead {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::optional<std::size_t> length;  ///< bytes of the body, if known
  std::string cache_control = "no-store";
  std::vector<std::string> fields;       ///< other header fields: "Name: value"
  int retry_after = kRetryAfterSeconds;  ///< seconds; sent with 503
  bool media = false;                    ///< sent with the CORS fields of Settings::cors_allow
  std::optional<base::Duration> finish_within{};  ///< of a client that takes longer, it is cut off
};

/// A response that is made while it is sent: a segment being made, a playlist that waits for a
/// part, events. Owned by its connection. Every call, and the destructor, is on its loop thread.
class StreamingResponse {
 public:
  struct Chunk {
    std::optional<ResponseHead> head;  ///< once, before any body
    std::vector<SharedBytes> body;     ///< continues that of the last chunk
    bool complete = false;
  };
  /// When to call next() again after it returned an empty chunk: at the first of these.
  struct Wait {
    std::optional<std::uint32_t> stream;  ///< at the next packet of this stream
    std::optional<base::Time> until;      ///< at this time, with a resolution of 50 ms
    /// When it differs from `seen`, with the same resolution; null for never. Outlives the
    /// response.
    const std::atomic<std::uint64_t>* count = nullptr;
    std::uint64_t seen = 0;
  };

  virtual ~StreamingResponse() = default;
  /// Returns everything that can be sent now. Called at once, then each time the kernel has taken
  /// all of the last chunk, or after wait(), until a chunk is complete. An exception closes the
  /// connection.
  virtual Chunk next(ResponseConnection& connection, base::Time now) = 0;
  /// Called when next() has returned an empty chunk.
  virtual Wait wait() const { return {}; }
};

}  // namespace server
