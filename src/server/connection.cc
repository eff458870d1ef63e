#include "server/connection.h"

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

#include "server/response_fields.h"

namespace server {

namespace {

// Larger than nearly every request, so that one read is enough.
constexpr std::size_t kReadBufferBytes = 4096;
// Keeps a client that sends without end from starving the others.
constexpr int kMaxReadsPerTurn = 2;
// Long enough for a person's next click. Browsers and Prometheus reconnect by themselves.
constexpr base::Duration kKeepAliveTimeout = std::chrono::seconds{15};
// Time for the client to read the response. Closing earlier, with unread input, would discard it
// (RFC 9112, 9.6).
constexpr base::Duration kLingerTimeout = std::chrono::seconds{2};
// Input accepted while a stream or another response is sent. Players send nothing then; this much
// is a mistake or an attack.
constexpr std::size_t kMaxUnexpectedBytes = 64 * 1024;
// Of this input, requests behind a response that waits are kept. These are two of the largest by
// default; players send one at a time.
constexpr std::size_t kMaxPipelinedBytes = 16 * 1024;
// Of a response that is not read, the kernel holds this, at most one buffer more, and what the
// client's window has room for. At 1 Gbit/s it is sent in half a millisecond; a loop comes back
// sooner. Less would hardly save memory, because a buffer has up to 64 KiB.
constexpr base::ByteCount kMaxUnsent{64 * 1024};

constexpr const char* kServerFull = "the server is full: try again later";

/// `Full`: Slots::Full or Places::Full.
template <typename Full>
const char* reason_of(Full full) {
  return full == Full::kInAll ? kServerFull
                              : "too many viewers from your address: close another player first";
}

}  // namespace

Connection::Connection(LoopContext& context, Accepted accepted, base::Time now)
    : context_{context},
      peer_{accepted.peer.address, context.shared.settings.proxy_protocol,
            context.shared.settings.trusted_proxies},
      slot_{std::move(accepted.slot)},
      socket_{std::move(accepted.fd)},
      deadline_{now + context.shared.settings.header_timeout},
      parser_{std::make_unique<HttpRequestParser>(
          static_cast<std::size_t>(context.shared.settings.max_header.bytes()))},
      output_{socket_, context.shared.output.open(accepted.peer.address), context.shared.settings},
      rule_{context.loop.when_ready("connection", socket_.fd(),
                                    [this](EventLoop::Ready ready) { on_ready(ready); })} {
  socket_.limit_unsent(kMaxUnsent);  // a viewer's observer may set another
  client_.address = peer_.address();
  context_.counters.connections.add();
}

void Connection::check_times(base::Time now) {
  if (phase_ == Phase::kStream) return session_->check_times(now);
  if (phase_ == Phase::kClosed || waits()) return;
  if (const auto slow = output_.judge(phase_ == Phase::kResponse, now)) return abandon(*slow, now);
  if (held_) return;
  const bool idle = phase_ == Phase::kRequest && !parser_->started();
  if (idle && output_.unread()) deadline_ = now + kKeepAliveTimeout;
  if (now < deadline_ || (output_.unread() && phase_ == Phase::kLinger)) return;
  if (phase_ == Phase::kRequest && parser_->started()) {
    return refuse(408, "the request did not arrive in time: send it again", now);
  }
  close();
}

void Connection::stop(base::Time now) {
  if (phase_ == Phase::kClosed) return;
  stopping_ = true;
  keep_alive_ = false;
  if (phase_ == Phase::kStream) return session_->finish(LeaveReason::kShutdown, now);
  if (phase_ == Phase::kResponse && !waits()) {
    deadline_ = std::min(deadline_, now + ViewerSession::kFinishTimeout);
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
  // Both together may also mean an error, such as a report on the error queue. A read, and a write
  // if one is due, find out which.
  if (phase_ == Phase::kStream && ready.readable && ready.writable) session_->on_error_queue(now);
  if (ready.writable) on_writable(now);
  if (ready.readable) on_readable(now);
}

void Connection::on_writable(base::Time now) {
  if (phase_ == Phase::kStream) return session_->on_writable(now);
  resume(now);
}

void Connection::resume(base::Time now) {
  if (phase_ != Phase::kResponse) return;
  output_.begin_turn();
  if (candidate_) {
    admit(now);
  } else {
    flush(now);
  }
  if (phase_ != Phase::kRequest) return;
  input(std::exchange(pipelined_, {}), now);
  if (phase_ == Phase::kRequest) rule_->again();
}

void Connection::on_readable(base::Time now) {
  if (held_) return;
  // While a response is being written, nothing is read: the client has to read first.
  if (phase_ == Phase::kResponse && !waits()) return resume(now);
  if (phase_ == Phase::kRequest && !pipelined_.empty()) {
    input(std::exchange(pipelined_, {}), now);
    if (reads()) rule_->again();
    return;
  }
  std::array<char, kReadBufferBytes> buffer;
  for (int i = 0; i < kMaxReadsPerTurn && reads(); ++i) {
    const auto got = socket_.receive(buffer);
    if (got.none) return;
    if (got.closed) return peer_closed(now);
    if (phase_ == Phase::kRequest) {
      begin_input({buffer.data(), got.bytes}, now);
    } else if (phase_ == Phase::kResponse && keep_alive_) {
      pipelined_.append(buffer.data(), got.bytes);
      if (pipelined_.size() > kMaxPipelinedBytes) return close();
    } else {
      discard(got.bytes, now);
    }
  }
  if (reads()) rule_->again();
}

void Connection::begin_input(std::string_view bytes, base::Time now) {
  if (peer_.begun()) return input(bytes, now);
  const auto rest = peer_.begin(bytes);
  if (!rest) {
    return refuse(400,
                  "a PROXY protocol header is due from addresses in server.proxy_protocol: check "
                  "the proxy in front",
                  now);
  }
  if (const auto& client = peer_.forwarded_client()) {
    auto slot = context_.shared.connections.take(*client);
    if (const auto* full = std::get_if<Slots::Full>(&slot)) {
      context_.counters.connections_refused.add();
      return refuse(503, reason_of(*full), now);
    }
    slot_ = std::get<Slots::Slot>(std::move(slot));
    output_.set_share(context_.shared.output.open(*client));
  }
  input(*rest, now);
}

/// Takes one request of them at most. The next one waits for the loop's next turn, because others
/// would wait for the responses to all that a client has sent.
void Connection::input(std::string_view bytes, base::Time now) {
  if (bytes.empty() || phase_ != Phase::kRequest) return;
  if (!parser_->started() && hold_request(now)) {
    pipelined_ = bytes;
    return;
  }
  if (later_request_ && !parser_->started()) {
    deadline_ = now + context_.shared.settings.header_timeout;
  }
  const auto [status, consumed] = parser_->feed(bytes);
  if (status == HttpRequestParser::Status::kNeedMore) return;
  if (status == HttpRequestParser::Status::kFailed) {
    if (!later_request_) context_.log.other_protocol(peer_.address(), bytes, now);
    return refuse(parser_->fault().status, parser_->fault().reason, now);
  }
  later_request_ = true;
  output_.begin_turn();
  handle_request(parser_->take(), now);
  if (keep_alive_) pipelined_ = bytes.substr(consumed);
  const bool more = phase_ == Phase::kRequest && !pipelined_.empty();
  if (more || waits()) rule_->again();  // in a wait, to notice when the client closes
}

/// Lets the next request wait, unread, if its address sends too many.
bool Connection::hold_request(base::Time now) {
  if (std::exchange(released_, false) || context_.pace.take(peer_.address(), now)) return false;
  held_ = true;
  context_.held.insert(this);
  context_.counters.requests_slowed.add();
  context_.log.slowed(peer_.address(), now);
  return true;
}

void Connection::try_to_release(base::Time now) {
  if (!context_.pace.take(peer_.address(), now)) return;
  context_.held.erase(this);
  held_ = false;
  released_ = true;
  deadline_ = now + context_.shared.settings.header_timeout;
  input(std::exchange(pipelined_, {}), now);
  if (phase_ == Phase::kRequest) rule_->again();
}

void Connection::discard(std::size_t bytes, base::Time now) {
  discarded_ += bytes;
  if (discarded_ <= kMaxUnexpectedBytes) return;
  if (phase_ == Phase::kStream) return session_->leave(LeaveReason::kSocketError, now);
  close();
}

void Connection::peer_closed(base::Time now) {
  if (phase_ == Phase::kStream) return session_->leave(LeaveReason::kClosedByViewer, now);
  close();
}

void Connection::handle_request(const HttpRequest& request, base::Time now) {
  keep_alive_ = request.keep_alive && !stopping_;
  http_1_0_ = request.http_1_0;
  head_only_ = request.method == HttpRequest::Method::kHead;
  gzip_ = request.gzip;
  origin_ = request.origin;
  client_ = peer_.client(request);
  note_proxy(now);
  const auto target = RequestTarget::parse(request.target);
  for_admins_ = target && (context_.shared.pages.is_for_admins(target->path) ||
                           context_.shared.handler.is_for_admins(target->path));
  if (request.method == HttpRequest::Method::kOptions) return send_options(now);
  if (request.method == HttpRequest::Method::kOther) {
    return send_error(405, "this method is not supported: use GET or HEAD", now);
  }
  if (!target) return send_error(400, target.error(), now);
  const auto stream = target->stream();
  if (stream && !context_.shared.pages.contains(target->path)) {
    return serve_stream(request, *stream, *target, now);
  }
  if (context_.shared.pages.contains(target->path)) return serve_page(*target, now);
  const HandlerRequest handler_request{
      .path = target->path,
      .query = target->query,
      .client = client_,
      .user_agent = request.user_agent,
      .head = head_only_,
      .loop = context_.index,
      .viewer_places = {context_.shared.viewers, context_.shared.last_viewer}};
  try {
    output_.connection().head_only = head_only_;
    auto streaming = context_.shared.handler.respond(handler_request, output_.connection(), now);
    if (!streaming) return serve_page(*target, now);  // responds with 404
    output_.response().begin(
        std::move(streaming), {.head_only = head_only_, .http_1_0 = http_1_0_},
        [this](const ResponseHead& response_head) { return head(response_head); });
  } catch (const std::exception& error) {
    context_.log.request_failed(target->path, error, now);
    return send_error(503, "the server could not answer this request: see its log", now);
  }
  flush(now);
}

void Connection::note_proxy(base::Time now) {
  if (client_.proxy == Proxy::kNone) return;
  auto& counters = context_.counters;
  (client_.proxy == Proxy::kTrusted ? counters.trusted_proxy_requests
                                    : counters.unknown_proxy_requests)
      .add();
  context_.shared.proxy_log.request(client_, now);
}

void Connection::serve_page(const RequestTarget& target, base::Time now) {
  send_page(context_.shared.pages.get({target.path, target.query, client_, gzip_}), now);
}

void Connection::serve_stream(const HttpRequest& request, const StreamTarget& stream,
                              const RequestTarget& target, base::Time now) {
  ViewerRequest viewer{.id = 0,
                       .stream = stream.stream,
                       .container = stream.container,
                       .query = target.query,
                       .client = client_,
                       .user_agent = request.user_agent,
                       .head = head_only_,
                       .loop = context_.index};
  const auto refusal = context_.shared.handler.refusal(viewer, now);
  if (refusal && !refusal->wait) return send_error(refusal->status, refusal->reason, now);
  std::variant<Places::Place, Places::Full> place;  // none for HEAD, which watches nothing
  if (!head_only_) place = context_.shared.viewers.take(client_.address, now);
  if (const auto* full = std::get_if<Places::Full>(&place)) {
    return send_error(503, reason_of(*full), now);
  }
  viewer.id = ++context_.shared.last_viewer;
  candidate_.emplace(
      Candidate{.request = std::move(viewer), .place = std::get<Places::Place>(std::move(place))});
  admit(now);
}

/// Starts the candidate's stream, refuses them, or lets them wait.
void Connection::admit(base::Time now) {
  if (candidate_->place.lost()) {
    candidate_.reset();
    return send_error(503, kServerFull, now);
  }
  auto answer = ask_handler(now);
  const auto* refusal = std::get_if<Refusal>(&answer);
  if (refusal && refusal->wait) {
    if (stopping_) return close();
    phase_ = Phase::kResponse;
    context_.waiting.insert_or_assign(this, StreamingResponse::Wait{.until = now});
    return;
  }
  auto candidate = *std::exchange(candidate_, std::nullopt);
  if (refusal) return send_error(refusal->status, refusal->reason, now);
  start_stream(std::move(candidate), std::get<Admission>(std::move(answer)), now);
}

std::variant<Admission, Refusal> Connection::ask_handler(base::Time now) {
  try {
    return context_.shared.handler.admit(candidate_->request, now);
  } catch (const std::exception& error) {
    context_.log.admission_failed(candidate_->request.stream, error, now);
    return Refusal{503, "no encoder can be started: try again later"};
  }
}

void Connection::start_stream(Candidate candidate, Admission admission, base::Time now) {
  const auto& viewer = candidate.request;
  keep_alive_ = false;
  context_.stateful.erase(this);
  output_.connection().state.reset();
  std::string response =
      head({.content_type = std::string{content_type(viewer.container)}, .media = true});
  if (head_only_) {
    output_.response().begin(std::move(response));
    return flush(now);
  }
  context_.waiting.erase(this);
  const auto framing =
      http_1_0_ ? ResponseWriter::Framing::kUntilClose : ResponseWriter::Framing::kChunked;
  ViewerState state;
  state.id = viewer.id;
  state.address = client_.address;
  state.user_agent = viewer.user_agent;
  state.stream = viewer.stream;
  state.connected = now;
  session_ = std::make_unique<ViewerSession>(
      context_, socket_,
      ViewerSession::Start{
          std::move(candidate.place), std::move(state),
          ResponseWriter{framing, std::move(response), output_.connection().sent, viewer.container},
          std::move(admission)},
      [this](LeaveReason reason, bool complete) { on_session_ended(reason, complete); });
  parser_.reset();
  phase_ = Phase::kStream;
  rule_->again();  // the peer may have closed already
  session_->join(now);
}

void Connection::send_page(const Page& page, base::Time now) {
  output_.response().begin(head({.status = page.status,
                                 .content_type = page.content_type,
                                 .length = page.body.bytes.size(),
                                 .cache_control = page.cache_control,
                                 .fields = page.fields,
                                 .media = page.media}),
                           head_only_ ? SharedBytes{} : page.body);
  flush(now);
}

void Connection::send_error(int status, const std::string& reason, base::Time now) {
  send_page({.status = status, .body = SharedBytes::of(reason + "\n")}, now);
}

void Connection::refuse(int status, const std::string& reason, base::Time now) {
  keep_alive_ = false;
  head_only_ = false;
  origin_.clear();  // that of the request before, as is:
  for_admins_ = false;
  send_error(status, reason, now);
}

void Connection::send_options(base::Time now) {
  const auto& allow = context_.shared.settings.cors_allow;
  output_.response().begin(
      head({.length = 0, .fields = options_fields(allow, origin_, for_admins_)}));
  flush(now);
}

std::string Connection::head(ResponseHead head) {
  const auto last = Counters::kStatusCount - 1;
  context_.counters.responses[std::min(static_cast<std::size_t>(head.status), last)].add();
  if (!head.length && http_1_0_) keep_alive_ = false;
  media_ = head.media;
  add_fields(head, context_.shared.settings.cors_allow, origin_, for_admins_);
  return head_text(head, http_1_0_, keep_alive_);
}

void Connection::flush(base::Time now) {
  const bool waited = context_.waiting.erase(this) > 0;
  if (waited || phase_ != Phase::kResponse) {
    phase_ = Phase::kResponse;
    deadline_ = base::Time::max();
    output_.begin(now);
  }
  try {
    for (;;) {
      const bool any = output_.response().pull(output_.connection(), now);
      if (output_.connection().state) context_.stateful.insert(this);
      if (!any) break;
      if (!write(now)) return;
    }
  } catch (const std::exception& error) {  // must not reach libevent's C code
    context_.log.response_failed(error, now);
    socket_.reset_on_close();  // without chunks, the response would otherwise look complete
    return close();
  }
  if (output_.response().waits()) {
    if (stopping_) return close();
    context_.waiting.insert_or_assign(this, output_.response().wait());
    return;
  }
  if (!keep_alive_) return linger(now);
  phase_ = Phase::kRequest;
  deadline_ = now + kKeepAliveTimeout;
}

/// Returns false if the response has to wait, or the connection is closed because of an error.
bool Connection::write(base::Time now) {
  using Status = ConnectionOutput::Written::Status;
  if (!context_.responses.may_write(this)) return false;
  const auto begin = base::Clock::now();
  const auto [status, bytes] = output_.write();
  context_.responses.wrote(begin, base::Clock::now());
  if (media_) context_.counters.bytes_sent.add(bytes);
  if (status != Status::kCrowded) {
    context_.crowded.erase(this);
  } else if (!context_.crowded.contains(this)) {
    context_.crowded.insert(this);
    context_.counters.responses_delayed.add();
    context_.log.delayed(client_.address, now);
  }
  if (status == Status::kTurnOver) rule_->again();
  if (status == Status::kBroken) close();
  return status == Status::kAll;
}

void Connection::on_session_ended(LeaveReason reason, bool complete) {
  const bool unwilling = reason == LeaveReason::kStalled || reason == LeaveReason::kEvicted;
  if (unwilling || (reason != LeaveReason::kClosedByViewer && !complete)) {
    socket_.reset_on_close();
    return close();
  }
  if (reason == LeaveReason::kClosedByViewer) return close();
  linger(base::Clock::now());
}

void Connection::linger(base::Time now) {
  if (stopping_) return close();
  phase_ = Phase::kLinger;
  deadline_ = now + kLingerTimeout;
  output_.end(now);
  pipelined_.clear();
  socket_.end_output();
  rule_->again();  // input that is already there triggers no further edge
}

void Connection::abandon(TooSlow reason, base::Time now) {
  context_.counters.too_slow[static_cast<std::size_t>(reason)].add();
  context_.log.too_slow(client_.address, reason, now);
  socket_.reset_on_close();
  close();
}

void Connection::close() {
  phase_ = Phase::kClosed;
  rule_->disable();
  context_.stateful.erase(this);
  output_.close();
  socket_.close();
  slot_ = {};
  candidate_.reset();
  context_.waiting.erase(this);
  context_.held.erase(this);
  context_.crowded.erase(this);
  context_.responses.erase(this);
  context_.closed.push_back(this);
}

}  // namespace server
