#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/config/config_units.h"
#include "fuzz/check.h"
#include "fuzz/pieces.h"
#include "fuzz/target.h"
#include "segments/target.h"
#include "server/client.h"
#include "server/cors.h"
#include "server/http_request_parser.h"
#include "server/query.h"
#include "server/request_target.h"

// The bytes that a client sends, and all that the server reads in them.

namespace {

using server::HttpRequest;
using server::HttpRequestParser;
using Status = HttpRequestParser::Status;

// Less than libFuzzer's longest input, so that requests reach it.
constexpr std::size_t kMaxRequest = 2048;

bool is_printable(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// The first request of a connection, and the bytes that belong to it.
struct Parsed {
  Status status = Status::kNeedMore;
  std::size_t consumed = 0;
  HttpRequest request{};
  server::HttpFault fault{0, {}};
};

Parsed parse(const std::vector<std::string_view>& pieces) {
  HttpRequestParser parser{kMaxRequest};
  Parsed out;
  for (const auto piece : pieces) {
    const auto [status, consumed] = parser.feed(piece);
    CHECK(consumed <= piece.size(), consumed, piece);
    out.status = status;
    out.consumed += consumed;
    if (status != Status::kNeedMore) break;
    CHECK(consumed == piece.size(), consumed, piece);
    CHECK(parser.started());
  }
  if (out.status == Status::kComplete) out.request = parser.take();
  if (out.status == Status::kFailed) out.fault = parser.fault();
  return out;
}

void check_same(const Parsed& a, const Parsed& b) {
  CHECK(a.status == b.status, a.status, b.status);
  CHECK(a.fault.status == b.fault.status, a.fault.status, b.fault.status);
  CHECK(a.fault.reason == b.fault.reason, a.fault.reason, b.fault.reason);
  if (a.status == Status::kFailed) return;  // the connection is closed: its bytes do not matter
  const auto &x = a.request, &y = b.request;
  CHECK(a.consumed == b.consumed, a.consumed, b.consumed);
  CHECK(x.method == y.method, x.method, y.method);
  CHECK(x.target == y.target, x.target, y.target);
  CHECK(x.user_agent == y.user_agent, x.user_agent, y.user_agent);
  CHECK(x.origin == y.origin, x.origin, y.origin);
  CHECK(x.host == y.host, x.host, y.host);
  CHECK(x.forwarding_header == y.forwarding_header, x.forwarding_header, y.forwarding_header);
  CHECK(x.forwarded_for == y.forwarded_for, x.forwarded_for, y.forwarded_for);
  CHECK(x.forwarded_host == y.forwarded_host, x.forwarded_host, y.forwarded_host);
  CHECK(x.http_1_0 == y.http_1_0 && x.gzip == y.gzip && x.keep_alive == y.keep_alive);
  CHECK(x.says_keep_alive == y.says_keep_alive && x.says_close == y.says_close);
}

void check_kept(const HttpRequest& request) {
  for (const auto* field : {&request.user_agent, &request.origin, &request.host,
                            &request.forwarding_header, &request.forwarded_host}) {
    CHECK(is_printable(*field), *field);
    CHECK(field->size() <= HttpRequest::kMaxUserAgentLength, *field);
  }
  CHECK(request.target.size() + request.forwarded_for.size() <= kMaxRequest);
  CHECK(is_printable(request.target) && request.target.find(' ') == std::string::npos,
        request.target);
}

/// Lines that two servers may read in two ways are refused (RFC 9112, 2.2, 5.1 and 5.2).
void check_lines(std::string_view head) {
  while (head.starts_with('\r') || head.starts_with('\n')) head.remove_prefix(1);
  for (bool is_field = false; !head.empty(); is_field = true) {
    const auto line = head.substr(0, head.find('\n'));
    const auto cr = line.find('\r');
    CHECK(cr == line.npos || cr + 1 == line.size(), line);
    head.remove_prefix(std::min(line.size() + 1, head.size()));
    if (!is_field) continue;
    CHECK(line.empty() || !is_blank(line.front()), line);
    const auto name = line.substr(0, line.find(':'));
    CHECK(std::ranges::none_of(name, is_blank), line);
  }
}

/// `head` with all after its first line in upper case.
std::string with_upper_fields(std::string_view head) {
  const auto begin = head.find('\n', head.find_first_not_of("\r\n"));
  std::string out{head};
  for (auto i = std::min(begin, out.size()); i < out.size(); ++i) {
    if (out[i] >= 'a' && out[i] <= 'z') out[i] = static_cast<char>(out[i] - 'a' + 'A');
  }
  return out;
}

/// Names, and words whose meaning the server knows, come in any case.
void check_case(std::string_view head, const HttpRequest& request) {
  const auto upper = with_upper_fields(head);
  const auto parsed = parse({upper});
  CHECK(parsed.status == Status::kComplete, upper);
  CHECK(parsed.request.gzip == request.gzip, upper);
  CHECK(parsed.request.keep_alive == request.keep_alive, upper);
  CHECK(parsed.request.says_keep_alive == request.says_keep_alive, upper);
  CHECK(parsed.request.says_close == request.says_close, upper);
  CHECK(parsed.request.forwarding_header.size() == request.forwarding_header.size(), upper);
}

std::string text_of(const segments::Target& target) {
  using Kind = segments::Target::Kind;
  const auto number = std::to_string(target.number);
  const auto stream = '/' + target.stream + '/';
  const auto session = target.session.empty() ? stream : stream + target.session + '/';
  const auto rendition = session + target.rendition.text() + '/';
  switch (target.kind) {
    case Kind::kMultivariant:
      return stream + "index.m3u8";
    case Kind::kManifest:
      return session + "manifest.mpd";
    case Kind::kTime:
      return session + "time";
    case Kind::kPlaylist:
      return rendition + "playlist.m3u8";
    case Kind::kInit:
      return rendition + "init-" + number + ".mp4";
    case Kind::kNewestInit:
      return rendition + "init.mp4";
    case Kind::kSegment:
      return rendition + number + ".m4s";
    case Kind::kPart:
      return rendition + number + '.' + std::to_string(target.part) + ".m4s";
  }
  return {};
}

void check_path(const std::string& path) {
  CHECK(path.starts_with('/'), path);
  CHECK(std::ranges::none_of(path, [](unsigned char c) { return c < ' ' || c == 0x7f; }), path);
  if (const auto target = segments::Target::parse(path)) {
    CHECK(text_of(*target) == path, text_of(*target), path);
    CHECK(target->session.empty() || target->session.size() == 16, target->session);
  }
  if (const auto stream = server::RequestTarget{path, {}}.stream()) {
    const auto written = '/' + stream->stream + std::string{media::suffix(stream->container)};
    CHECK(written == path, written, path);
  }
}

void check_rate(std::string_view text) {
  const auto rate = app::parse_rate(text);
  if (!rate) return;
  CHECK(text.find_first_of("+-") == text.npos, text, rate->bps());
  CHECK(rate->bps() >= 0, text, rate->bps());
}

void check_query(std::string_view query) {
  if (const auto rate = server::value_in(query, "rate")) check_rate(*rate);
  for (const auto* key : {"_HLS_msn", "_HLS_part", "after", "viewer"}) {
    const auto number = server::number_in<std::uint64_t>(query, key);
    const auto value = server::value_in(query, key);
    CHECK(number ? number->has_value() == value.has_value() : value.has_value(), query, key);
  }
  const auto kept = server::kept_query(query);
  if (kept.empty()) return;
  const auto again = std::string_view{kept}.substr(1);
  CHECK(kept.starts_with('?') && server::kept_query(again) == kept, query, kept);
  CHECK(is_printable(kept) && kept.find_first_of("\"'<># ") == kept.npos, kept);
  CHECK(!server::value_in(again, "rate") && !server::value_in(again, "_HLS_msn"), kept);
}

void check_client(const HttpRequest& request) {
  const auto peer = *server::Address::parse("192.0.2.1");
  const auto stranger = server::client_of(request, peer, {}, {});
  CHECK(stranger.address == peer && stranger.peer == peer, stranger.address.text());
  CHECK(stranger.proxy != server::Proxy::kTrusted);
  const auto forwarded =
      server::client_of(request, peer, {}, {*server::Network::parse("192.0.2.1")});
  CHECK(forwarded.peer == peer, forwarded.peer.text());
  CHECK(forwarded.address == peer || forwarded.proxy == server::Proxy::kTrusted,
        forwarded.address.text());
  for (const auto& client : {stranger, forwarded}) {
    CHECK(is_printable(client.host) && is_printable(client.origin), client.host, client.origin);
    CHECK(is_printable(client.forwarded_host) && is_printable(client.proxy_sign),
          client.forwarded_host, client.proxy_sign);
  }
}

void check_cors(const std::string& origin) {
  std::vector<server::Origin> allow{{"https://a.example"}};
  if (const auto parsed = server::Origin::parse(origin)) allow.push_back(*parsed);
  for (const auto& fields :
       {server::cors_fields(allow, origin), server::preflight_fields(allow, origin)}) {
    CHECK(std::ranges::all_of(fields, is_printable));
  }
}

void check_request(const HttpRequest& request) {
  check_kept(request);
  check_client(request);
  check_cors(request.origin);
  const auto target = server::RequestTarget::parse(request.target);
  if (!target) return;
  check_path(target->path);
  check_query(target->query);
  CHECK(is_printable(target->query), target->query);
}

}  // namespace

FUZZ_TARGET(request) {
  auto bytes = input.rest();
  while (!bytes.empty()) {
    const auto whole = parse({bytes});
    check_same(whole, parse(fuzz::cut(bytes)));
    if (whole.status != Status::kComplete) return;
    const auto head = bytes.substr(0, whole.consumed);
    check_lines(head);
    check_case(head, whole.request);
    check_request(whole.request);
    bytes.remove_prefix(whole.consumed);
  }
}
