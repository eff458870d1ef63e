#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "base/units.h"
#include "server/output_account.h"
#include "server/reading_pace.h"
#include "server/response.h"
#include "server/settings.h"
#include "server/streaming_response.h"
#include "server/viewer_socket.h"

namespace server {

/// The responses of one connection, from their bytes to the client's acknowledgements: sends what
/// the socket and the OutputAccount take, and tells when the client reads too slowly. Used on its
/// loop thread.
class ConnectionOutput {
 public:
  struct Written {
    enum class Status {
      kAll,
      kFull,      ///< the socket: wait until it is writable
      kCrowded,   ///< the account: try again soon
      kTurnOver,  ///< enough for this turn: let others have theirs
      kBroken,    ///< the connection
    };
    Status status = Status::kAll;
    std::size_t bytes = 0;
  };

  // A client that reads as fast as we write would keep the loop to itself, with page after page.
  // This takes about 20 µs of it (bench/hostile clients pipeline: 3.6 GB in a CPU second). More
  // would let the others wait for longer, less costs more turns.
  static constexpr std::size_t kMaxTurn = 64 * 1024;

  /// `socket` must outlive this object.
  ConnectionOutput(ViewerSocket& socket, OutputAccount::Share share, const Settings& settings);

  OutgoingResponse& response() { return response_; }
  const OutgoingResponse& response() const { return response_; }
  ResponseConnection& connection() { return connection_; }
  /// The client is another one than the peer: a proxy has named them.
  void set_share(OutputAccount::Share share) { share_ = std::move(share); }

  /// Call when the loop comes to this connection: it may write kMaxTurn again.
  void begin_turn() { turn_left_ = kMaxTurn; }
  /// From now on the client has something to read.
  void begin(base::Time now);
  /// The client may still have something to read of what was sent.
  void end(base::Time now) {
    if (!unread_) begin(now);
  }
  /// Writes what the response has ready.
  Written write();
  /// Call a few times per second. `responding`: there is more to come.
  std::optional<TooSlow> judge(bool responding, base::Time now);
  bool unread() const { return unread_; }  ///< the client may not have acknowledged everything
  void close();                            ///< the socket is closed

 private:
  base::ByteCount acknowledged();

  ViewerSocket& socket_;
  OutputAccount::Share share_;
  OutgoingResponse response_;
  ResponseConnection connection_;
  ReadingPace pace_;
  bool unread_ = false;
  std::size_t turn_left_ = kMaxTurn;
};

}  // namespace server
