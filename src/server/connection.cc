#include "server/connection.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <exception>
#include <utility>

#include "base/log.h"
#include "server/response_head.h"

namespace server {

namespace {

constexpr std::size_t kReadSize = 4096;  // larger than nearly every request
// A client that sends without end has its turn, then the others have theirs: 8 KiB are 290 short
// requests, 3 ms.
constexpr int kReadsPerTurn = 2;
// Time for the next click of a person; browsers and Prometheus reconnect without notice.
constexpr base::Duration kIdle = std::chrono::seconds{15};
// Time for the client to read why, before a close with unread input destroys it (RFC 9112, 9.6).
constexpr base::Duration kLinger = std::chrono::seconds{2};
// A player sends nothing after its request; this much is a mistake or an attack.
constexpr std::size_t kMaxDiscarded = 64 * 1024;

std::string_view reason_of(Seats::Full full) {
  return full == Seats::Full::kInAll ? "the server is full: try again later"
                                     : "too many viewers from your address";
}

std::string_view content_type(media::Container container) {
  switch (container) {
    case media::Container::kFlv:
      return "video/x-flv";
    case media::Container::kMp4:
      return "video/mp4";
    case media::Container::kMpegTs:
      break;
  }
  return "video/mp2t";
}

}  // namespace

Connection::Connection(LoopContext& context, Accepted accepted, base::Time now)
    : context_{context},
      peer_{accepted.peer},
      seat_{std::move(accepted.seat)},
      socket_{std::move(accepted.fd)},
      deadline_{now + context.shared.settings.header_timeout},
      parser_{std::make_unique<HttpRequestParser>(
          static_cast<std::size_t>(context.shared.settings.max_header.bytes()))},
      rule_{context.loop.when_ready("connection", socket_.fd(),
                                    [this](EventLoop::Ready ready) { on_ready(ready); })} {
  context_.counters.connections.add();
}

void Connection::check_times(base::Time now) {
  if (phase_ == Phase::kStream) return session_->check_times(now);
  if (phase_ == Phase::kClosed || now < deadline_) return;
  if (phase_ == Phase::kRequest && parser_->started()) {
    return refuse(408, "the request took too long", now);
  }
  close();
}

void Connection::stop(base::Time now) {
  if (phase_ == Phase::kClosed) return;
  stopping_ = true;
  keep_alive_ = false;
  if (phase_ == Phase::kStream) return session_->finish(LeaveReason::kShutdown, now);
  if (phase_ == Phase::kResponse) {
    deadline_ = std::min(deadline_, now + ViewerSession::kGrace);
  } else {
    close();
  }
}

void Connection::abort(base::Time now) {
  if (phase_ == Phase::kStream) session_->leave(LeaveReason::kShutdown, now);
  if (phase_ != Phase::kClosed) close();
}

void Connection::on_ready(EventLoop::Ready ready) {
  const auto now = base::Clock::now();
  // Both are also what is said of an error, such as a report on the error queue. What else is
  // behind it is asked of the socket: a write only where one is due, one read.
  if (phase_ == Phase::kStream && ready.readable && ready.writable) session_->on_error_queue(now);
  if (ready.writable) on_writable(now);
  if (ready.readable) on_readable(now);
}

void Connection::on_writable(base::Time now) {
  if (phase_ == Phase::kStream) return session_->on_writable(now);
  if (phase_ != Phase::kResponse) return;
  flush(now);
  if (phase_ != Phase::kRequest) return;
  input(std::exchange(pipelined_, {}), now);
  if (phase_ == Phase::kRequest) rule_->again();
}

void Connection::on_readable(base::Time now) {
  std::array<char, kReadSize> buffer;
  for (int i = 0; i < kReadsPerTurn; ++i) {
    // While a response waits for room nothing is read: the client is to take it first.
    if (phase_ == Phase::kResponse || phase_ == Phase::kClosed) return;
    const auto got = socket_.receive(buffer);
    if (got.none) return;
    if (got.closed) return peer_closed(now);
    if (phase_ == Phase::kRequest) {
      input({buffer.data(), got.bytes}, now);
    } else {
      discard(got.bytes, now);
    }
  }
  if (phase_ != Phase::kClosed) rule_->again();
}

void Connection::input(std::string_view bytes, base::Time now) {
  while (!bytes.empty() && phase_ == Phase::kRequest) {
    if (later_request_ && !parser_->started()) {
      deadline_ = now + context_.shared.settings.header_timeout;
    }
    const auto [status, consumed] = parser_->feed(bytes);
    bytes.remove_prefix(consumed);
    if (status == HttpRequestParser::Status::kNeedMore) return;
    if (status == HttpRequestParser::Status::kFailed) {
      return refuse(parser_->fault().status, parser_->fault().reason, now);
    }
    later_request_ = true;
    answer(parser_->take(), now);
  }
  if (phase_ == Phase::kResponse && keep_alive_) pipelined_ = bytes;
}

void Connection::discard(std::size_t bytes, base::Time now) {
  discarded_ += bytes;
  if (discarded_ <= kMaxDiscarded) return;
  if (phase_ == Phase::kStream) return session_->leave(LeaveReason::kSocketError, now);
  close();
}

void Connection::peer_closed(base::Time now) {
  if (phase_ == Phase::kStream) return session_->leave(LeaveReason::kClosedByViewer, now);
  close();
}

void Connection::answer(const HttpRequest& request, base::Time now) {
  keep_alive_ = request.keep_alive && !stopping_;
  http_1_0_ = request.http_1_0;
  head_only_ = request.method == HttpRequest::Method::kHead;
  if (request.method == HttpRequest::Method::kOther) {
    return respond({.status = 405, .body = "only GET and HEAD are understood\n"}, now);
  }
  const auto target = RequestTarget::parse(request.target);
  if (!target) return respond({.status = 400, .body = target.error() + "\n"}, now);
  const auto stream = target->stream();
  if (stream && !context_.shared.pages.contains(target->path)) {
    return watch(request, *stream, *target, now);
  }
  respond(context_.shared.pages.get({target->path, target->query, peer_.address}), now);
}

void Connection::watch(const HttpRequest& request, const StreamTarget& stream,
                       const RequestTarget& target, base::Time now) {
  auto seat = context_.shared.viewers.take(peer_.address);
  if (const auto* full = std::get_if<Seats::Full>(&seat)) {
    return respond({.status = 503, .body = std::string{reason_of(*full)} + "\n"}, now);
  }
  const ViewerRequest viewer{.id = ++context_.shared.last_viewer,
                             .stream = stream.stream,
                             .container = stream.container,
                             .query = target.query,
                             .address = peer_.address,
                             .user_agent = request.user_agent,
                             .head = head_only_,
                             .loop = context_.index};
  auto answer = admit(viewer, now);
  if (const auto* refusal = std::get_if<Refusal>(&answer)) {
    return respond({.status = refusal->status, .body = refusal->reason + "\n"}, now);
  }
  start_stream(request, viewer, std::get<Admission>(std::move(answer)),
               std::get<Seats::Seat>(std::move(seat)), now);
}

std::variant<Admission, Refusal> Connection::admit(const ViewerRequest& viewer, base::Time now) {
  try {
    return context_.shared.handler.admit(viewer, now);
  } catch (const std::exception& error) {  // such as a thread that the system does not allow
    if (const auto times = context_.failed_admissions.count(now)) {
      base::log::error("admission_failed", {{"stream", viewer.stream},
                                            {"error", error.what()},
                                            {"times", *times},
                                            {"hint", "raise TasksMax= of the unit, or memory"}});
    }
    return Refusal{503, "no encoder can be started"};
  }
}

void Connection::start_stream(const HttpRequest& request, const ViewerRequest& viewer,
                              Admission admission, Seats::Seat seat, base::Time now) {
  keep_alive_ = false;
  std::string response = head(200, content_type(viewer.container), std::nullopt);
  if (head_only_) {
    output_ = std::move(response);
    return flush(now);
  }
  const auto framing =
      http_1_0_ ? ResponseWriter::Framing::kUntilClose : ResponseWriter::Framing::kChunked;
  ViewerState state;
  state.id = viewer.id;
  state.address = peer_.address;
  state.user_agent = request.user_agent;
  state.stream = viewer.stream;
  state.connected = now;
  session_ = std::make_unique<ViewerSession>(
      context_, socket_,
      ViewerSession::Start{std::move(seat), std::move(state),
                           ResponseWriter{framing, std::move(response), sent_, viewer.container},
                           std::move(admission)},
      [this](LeaveReason reason, bool complete) { on_session_ended(reason, complete); });
  parser_.reset();
  phase_ = Phase::kStream;
  rule_->again();  // the peer may have closed already
  session_->join(now);
}

void Connection::respond(const Page& page, base::Time now) {
  output_ = head(page.status, page.content_type, page.body.size());
  if (!head_only_) output_ += page.body;
  flush(now);
}

void Connection::refuse(int status, const std::string& reason, base::Time now) {
  keep_alive_ = false;
  head_only_ = false;
  respond({.status = status, .body = reason + "\n"}, now);
}

std::string Connection::head(int status, std::string_view type, std::optional<std::size_t> length) {
  const auto last = Counters::kStatuses - 1;
  context_.counters.responses[std::min(static_cast<std::size_t>(status), last)].add();
  return ResponseHead{.status = status,
                      .content_type = type,
                      .length = length,
                      .http_1_0 = http_1_0_,
                      .keep_alive = keep_alive_,
                      .date = std::time(nullptr)}
      .text();
}

void Connection::flush(base::Time now) {
  phase_ = Phase::kResponse;
  while (output_sent_ < output_.size()) {
    iovec rest{output_.data() + output_sent_, output_.size() - output_sent_};
    const auto sent = socket_.send({&rest, 1});
    if (sent.error != 0) return close();
    if (sent.bytes > 0) deadline_ = now + context_.shared.settings.stall_timeout;
    output_sent_ += sent.bytes;
    sent_ += sent.bytes;
    if (sent.full) return;
  }
  output_.clear();
  output_sent_ = 0;
  if (!keep_alive_) return linger(now);
  phase_ = Phase::kRequest;
  deadline_ = now + kIdle;
}

void Connection::on_session_ended(LeaveReason reason, bool complete) {
  if (reason == LeaveReason::kStalled || (reason != LeaveReason::kClosedByViewer && !complete)) {
    socket_.reset_on_close();
    return close();
  }
  if (reason == LeaveReason::kClosedByViewer) return close();
  linger(base::Clock::now());
}

void Connection::linger(base::Time now) {
  if (stopping_) return close();
  phase_ = Phase::kLinger;
  deadline_ = now + kLinger;
  pipelined_.clear();
  socket_.end_output();
  rule_->again();  // what is unread gives no further edge
}

void Connection::close() {
  phase_ = Phase::kClosed;
  rule_->disable();
  socket_.close();
  seat_ = {};
  context_.closed.push_back(this);
}

}  // namespace server
