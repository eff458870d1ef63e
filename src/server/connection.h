#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/units.h"
#include "server/connection_output.h"
#include "server/event_loop.h"
#include "server/handover.h"
#include "server/http_request_parser.h"
#include "server/loop_context.h"
#include "server/peer.h"
#include "server/places.h"
#include "server/request_target.h"
#include "server/slots.h"
#include "server/viewer_session.h"
#include "server/viewer_socket.h"

namespace server {

/// One TCP connection from accept to close. Used on its loop thread. Once closed, it waits in
/// LoopContext::closed to be destroyed.
///
///   Request ⇄ Response (while the socket is full, or the StreamingResponse or a viewer waits)
///      ├──► Stream (until the connection ends) ──┐
///      └─────────────────────────────────────────┴─► Linger ─► Closed
///
/// A client that reads too slowly is reset, also while only the kernel still has bytes for it: a
/// closed connection would keep them for minutes.
class Connection {
 public:
  Connection(LoopContext& context, Accepted accepted, base::Time now);

  void check_times(base::Time now);  ///< call a few times per second
  void resume(base::Time now);       ///< the awaited event may have come
  /// The next request may be taken if its address has sent few enough. REQUIRES: the connection is
  /// in LoopContext::held.
  void try_to_release(base::Time now);
  /// REQUIRES: the connection is in LoopContext::stateful.
  bool tick(base::Time now) {
    return output_.connection().state->on_tick(output_.connection(), now);
  }
  void stop(base::Time now);   ///< ends the present response and closes, within kFinishTimeout
  void abort(base::Time now);  ///< closes at once

 private:
  enum class Phase { kRequest, kResponse, kStream, kLinger, kClosed };

  /// A viewer who has asked for a stream and is not admitted yet.
  struct Candidate {
    ViewerRequest request;
    Places::Place place;
  };

  void on_ready(EventLoop::Ready ready);
  void on_readable(base::Time now);
  void on_writable(base::Time now);
  void discard(std::size_t bytes, base::Time now);
  void begin_input(std::string_view bytes, base::Time now);
  void input(std::string_view bytes, base::Time now);
  void peer_closed(base::Time now);
  bool hold_request(base::Time now);

  void handle_request(const HttpRequest& request, base::Time now);
  void note_proxy(base::Time now);
  void serve_stream(const HttpRequest& request, const StreamTarget& stream,
                    const RequestTarget& target, base::Time now);
  void admit(base::Time now);
  std::variant<Admission, Refusal> ask_handler(base::Time now);
  void start_stream(Candidate candidate, Admission admission, base::Time now);
  void send_page(const Page& page, base::Time now);
  void send_error(int status, const std::string& reason, base::Time now);
  void serve_page(const RequestTarget& page, base::Time now);
  void send_options(base::Time now);
  void refuse(int status, const std::string& reason, base::Time now);
  std::string head(ResponseHead head);
  void flush(base::Time now);
  bool write(base::Time now);
  /// Nothing is ahead of what the client may send.
  bool reads() const {
    if (phase_ == Phase::kRequest) return !held_ && pipelined_.empty();
    return phase_ == Phase::kStream || phase_ == Phase::kLinger || waits();
  }
  bool waits() const {
    return phase_ == Phase::kResponse && (candidate_ || output_.response().waits());
  }
  void on_session_ended(LeaveReason reason, bool complete);
  void linger(base::Time now);
  void abandon(TooSlow reason, base::Time now);
  void close();

  LoopContext& context_;
  Peer peer_;
  Slots::Slot slot_;
  ViewerSocket socket_;
  Phase phase_ = Phase::kRequest;
  base::Time deadline_;  ///< of the phase; unused in kStream, and in kResponse but for a stop
  std::unique_ptr<HttpRequestParser> parser_;
  std::string pipelined_;  ///< input for the next requests
  bool later_request_ = false;
  bool held_ = false;      ///< is in LoopContext::held, and not read
  bool released_ = false;  ///< the next request may be taken
  bool stopping_ = false;
  // Properties of the present request.
  bool http_1_0_ = false;
  bool keep_alive_ = false;
  bool head_only_ = false;
  bool gzip_ = false;
  Client client_;
  std::string origin_;
  bool media_ = false;                  ///< the present response is media
  bool for_admins_ = false;             ///< the present request is for a page of administrators
  std::optional<Candidate> candidate_;  ///< while it waits
  ConnectionOutput output_;
  std::size_t discarded_ = 0;  ///< bytes of unexpected input
  std::unique_ptr<ViewerSession> session_;
  EventLoop::RulePtr rule_;
};

}  // namespace server
