#include "server/connection.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <exception>
#include <iterator>
#include <utility>

#include "base/log.h"
#include "server/cors.h"
#include "server/http_response_head.h"

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

constexpr std::string_view kNoEncoder = "no encoder can be started";

std::string_view reason_of(Slots::Full full) {
  return full == Slots::Full::kInAll ? "the server is full: try again later"
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
      slot_{std::move(accepted.slot)},
      socket_{std::move(accepted.fd)},
      deadline_{now + context.shared.settings.header_timeout},
      parser_{std::make_unique<HttpRequestParser>(
          static_cast<std::size_t>(context.shared.settings.max_header.bytes()))},
      rule_{context.loop.when_ready("connection", socket_.fd(),
                                    [this](EventLoop::Ready ready) { on_ready(ready); })} {
  response_connection_.fd = socket_.fd();
  context_.counters.connections.add();
}

void Connection::check_times(base::Time now) {
  if (phase_ == Phase::kStream) return session_->check_times(now);
  if (phase_ == Phase::kClosed || waits() || now < deadline_) return;
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
  // Both are also what is said of an error, such as a report on the error queue. What else is
  // behind it is asked of the socket: a write only where one is due, one read.
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
  flush(now);
  if (phase_ != Phase::kRequest) return;
  input(std::exchange(pipelined_, {}), now);
  if (phase_ == Phase::kRequest) rule_->again();
}

void Connection::on_readable(base::Time now) {
  std::array<char, kReadSize> buffer;
  for (int i = 0; i < kReadsPerTurn; ++i) {
    // While a response waits for room nothing is read: the client is to take it first.
    if ((phase_ == Phase::kResponse && !waits()) || phase_ == Phase::kClosed) return;
    const auto got = socket_.receive(buffer);
    if (got.none) return;
    if (got.closed) return peer_closed(now);
    if (phase_ == Phase::kRequest) {
      input({buffer.data(), got.bytes}, now);
    } else if (phase_ == Phase::kResponse && keep_alive_) {
      pipelined_.append(buffer.data(), got.bytes);
      if (pipelined_.size() > kMaxDiscarded) return close();
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
  if (waits()) rule_->again();  // it is heard of when the client goes
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
  gzip_ = request.gzip;
  origin_ = request.origin;
  if (request.method == HttpRequest::Method::kOptions) return tell_options(now);
  if (request.method == HttpRequest::Method::kOther) {
    return respond({.status = 405, .body = "only GET and HEAD are understood\n"}, now);
  }
  const auto target = RequestTarget::parse(request.target);
  if (!target) return respond({.status = 400, .body = target.error() + "\n"}, now);
  const auto stream = target->stream();
  if (stream && !context_.shared.pages.contains(target->path)) {
    return watch(request, *stream, *target, now);
  }
  if (context_.shared.pages.contains(target->path)) return show(*target, now);
  const HandlerRequest asked{
      .path = target->path,
      .query = target->query,
      .address = peer_.address,
      .user_agent = request.user_agent,
      .head = head_only_,
      .loop = context_.index,
      .viewer_slots = {context_.shared.viewers, context_.shared.last_viewer}};
  try {
    response_connection_.head_only = head_only_;
    auto made = context_.shared.handler.answer(asked, response_connection_, now);
    if (!made) return show(*target, now);  // which says that there is none
    response_.begin(std::move(made), {.head_only = head_only_, .http_1_0 = http_1_0_},
                    [this](const ResponseHead& its) { return head(its); });
  } catch (const std::exception& error) {
    log_failure(asked.path, error, now);
    return respond({.status = 503, .body = std::string{kNoEncoder} + "\n"}, now);
  }
  if (response_connection_.state) context_.stateful.insert(this);
  flush(now);
}

void Connection::show(const RequestTarget& target, base::Time now) {
  respond(context_.shared.pages.get({target.path, target.query, peer_.address, gzip_}), now);
}

void Connection::watch(const HttpRequest& request, const StreamTarget& stream,
                       const RequestTarget& target, base::Time now) {
  auto slot = context_.shared.viewers.take(peer_.address);
  if (const auto* full = std::get_if<Slots::Full>(&slot)) {
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
               std::get<Slots::Slot>(std::move(slot)), now);
}

std::variant<Admission, Refusal> Connection::admit(const ViewerRequest& viewer, base::Time now) {
  try {
    return context_.shared.handler.admit(viewer, now);
  } catch (const std::exception& error) {
    log_failure(viewer.stream, error, now);
    return Refusal{503, std::string{kNoEncoder}};
  }
}

/// Such as a thread that the system does not allow.
void Connection::log_failure(const std::string& what, const std::exception& error, base::Time now) {
  const auto times = context_.failed_admissions.count(now);
  if (!times) return;
  base::log::error("admission_failed", {{"stream", what},
                                        {"error", error.what()},
                                        {"times", *times},
                                        {"hint", "raise TasksMax= of the unit, or memory"}});
}

void Connection::start_stream(const HttpRequest& request, const ViewerRequest& viewer,
                              Admission admission, Slots::Slot slot, base::Time now) {
  keep_alive_ = false;
  context_.stateful.erase(this);
  response_connection_.state.reset();
  std::string response =
      head({.content_type = std::string{content_type(viewer.container)}, .media = true});
  if (head_only_) {
    response_.begin(std::move(response));
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
      ViewerSession::Start{
          std::move(slot), std::move(state),
          ResponseWriter{framing, std::move(response), response_connection_.sent, viewer.container},
          std::move(admission)},
      [this](LeaveReason reason, bool complete) { on_session_ended(reason, complete); });
  parser_.reset();
  phase_ = Phase::kStream;
  rule_->again();  // the peer may have closed already
  session_->join(now);
}

void Connection::respond(const Page& page, base::Time now) {
  std::string whole = head({.status = page.status,
                            .content_type = page.content_type,
                            .length = page.body.size(),
                            .cache_control = page.cache_control,
                            .fields = page.fields,
                            .media = page.media});
  if (!head_only_) whole += page.body;
  response_.begin(std::move(whole));
  flush(now);
}

void Connection::refuse(int status, const std::string& reason, base::Time now) {
  keep_alive_ = false;
  head_only_ = false;
  respond({.status = status, .body = reason + "\n"}, now);
}

void Connection::tell_options(base::Time now) {
  auto fields = preflight_fields(context_.shared.settings.cors_allow, origin_);
  fields.emplace_back("Allow: GET, HEAD, OPTIONS");
  response_.begin(head({.length = 0, .fields = std::move(fields)}));
  flush(now);
}

std::string Connection::head(ResponseHead head) {
  const auto last = Counters::kStatuses - 1;
  context_.counters.responses[std::min(static_cast<std::size_t>(head.status), last)].add();
  if (!head.length && http_1_0_) keep_alive_ = false;
  media_ = head.media;
  if (media_) {
    std::ranges::move(cors_fields(context_.shared.settings.cors_allow, origin_),
                      std::back_inserter(head.fields));
  }
  return HttpResponseHead{.status = head.status,
                          .content_type = head.content_type,
                          .length = head.length,
                          .http_1_0 = http_1_0_,
                          .keep_alive = keep_alive_,
                          .date = std::time(nullptr),
                          .cache_control = head.cache_control,
                          .retry_after = head.retry_after,
                          .fields = head.fields}
      .text();
}

void Connection::flush(base::Time now) {
  phase_ = Phase::kResponse;
  // Until now there was nothing to take.
  if (context_.waiting.erase(this) > 0) deadline_ = now + context_.shared.settings.stall_timeout;
  try {
    while (response_.pull(response_connection_, now)) {
      if (!write(now)) return;
    }
  } catch (const std::exception& error) {  // the last frame before libevent's C code
    if (const auto times = context_.failed_answers.count(now)) {
      base::log::error("answer_failed", {{"error", error.what()}, {"times", *times}});
    }
    socket_.reset_on_close();  // or else, without chunks, it would seem whole
    return close();
  }
  if (response_.waits()) {
    if (stopping_) return close();
    context_.waiting.insert_or_assign(this, response_.wait());
    return;
  }
  if (!keep_alive_) return linger(now);
  phase_ = Phase::kRequest;
  deadline_ = now + kIdle;
}

/// False when the socket takes no more for now, or nothing any more.
bool Connection::write(base::Time now) {
  OutputQueue::Pieces memory;
  while (!response_.output().empty()) {
    const auto sent = socket_.send(response_.output().pieces(memory));
    if (sent.error != 0) {
      close();
      return false;
    }
    if (sent.bytes > 0) deadline_ = now + context_.shared.settings.stall_timeout;
    response_.output().advance(sent.bytes);
    response_connection_.sent += sent.bytes;
    if (media_) context_.counters.bytes_sent.add(sent.bytes);
    if (sent.full) return false;
  }
  return true;
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
  context_.stateful.erase(this);
  response_connection_.state.reset();
  socket_.close();
  slot_ = {};
  context_.waiting.erase(this);
  context_.closed.push_back(this);
}

}  // namespace server
