#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/check.h"
#include "fuzz/pieces.h"
#include "fuzz/target.h"
#include "server/http_request_parser.h"
#include "server/peer.h"
#include "server/proxy_protocol.h"

// The first bytes of a connection from a proxy that begins each with a PROXY protocol header.

namespace {

using server::ProxyHeader;
using Status = ProxyHeader::Status;

const server::Address kProxy = *server::Address::parse("192.0.2.1");
const std::vector<server::Network> kSenders{*server::Network::parse("192.0.2.0/24")};

/// A header is known from its first bytes on: more of them change an answer only if it was that
/// they are too few.
void check_prefixes(std::string_view bytes, const ProxyHeader& whole) {
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto header = server::parse_proxy_header(bytes.substr(0, size));
    if (header.status == Status::kIncomplete) continue;
    CHECK(header.status == whole.status, size, header.status, whole.status);
    CHECK(header.size == whole.size, size, header.size, whole.size);
    CHECK(header.client == whole.client, size);
    return;
  }
}

/// The word of a line that names the client is an address and no more.
void check_word(std::string_view line) {
  line.remove_prefix(std::string_view{"PROXY TCP4 "}.size());
  const auto word = line.substr(0, line.find(' '));
  CHECK(word.find_first_not_of("0123456789abcdefABCDEF:.\r\n") == word.npos, word);
}

void check_header(std::string_view bytes, const ProxyHeader& header) {
  CHECK(header.size <= bytes.size(), header.size, bytes);
  CHECK((header.status == Status::kComplete) == (header.size > 0), header.status, header.size);
  CHECK(header.status == Status::kComplete || !header.client, header.status);
  if (header.client) {
    if (bytes.starts_with('P')) check_word(bytes.substr(0, header.size));
    const auto text = header.client->text();
    const auto again = server::Address::parse(text);
    CHECK(again && *again == *header.client, text);
  }
  check_prefixes(bytes, header);
}

/// A connection whose first bytes come in `pieces`.
struct Begun {
  bool rejected = false;
  bool begun = false;
  std::string rest{};  ///< the client's own bytes
  std::optional<server::Address> client{};
};

Begun begin(const std::vector<std::string_view>& pieces) {
  server::Peer peer{kProxy, kSenders, kSenders};
  Begun out;
  for (const auto piece : pieces) {
    if (peer.begun()) {
      out.rest += piece;
      continue;
    }
    const auto rest = peer.begin(piece);
    if (!rest) return {.rejected = true};
    CHECK(peer.begun() || rest->empty(), piece, *rest);
    out.rest += *rest;
  }
  out.begun = peer.begun();
  out.client = peer.forwarded_client();
  const auto client = peer.client({});
  CHECK(client.peer == kProxy, client.peer.text());
  CHECK(client.address == out.client.value_or(kProxy), client.address.text());
  CHECK(out.client || client.proxy != server::Proxy::kTrusted);
  return out;
}

void check_begun(std::string_view bytes, const ProxyHeader& header) {
  const auto whole = begin({bytes});
  CHECK(whole.begun == (header.status == Status::kComplete), whole.begun, header.status);
  if (whole.begun) {
    CHECK(whole.client == header.client);
    CHECK(whole.rest == bytes.substr(header.size), whole.rest);
  }
  const auto pieces = begin(fuzz::cut(bytes));
  CHECK(pieces.rejected == whole.rejected && pieces.begun == whole.begun, bytes);
  CHECK(pieces.rest == whole.rest && pieces.client == whole.client, pieces.rest, whole.rest);
}

}  // namespace

FUZZ_TARGET(proxy_header) {
  const auto bytes = input.rest();
  const auto header = server::parse_proxy_header(bytes);
  check_header(bytes, header);
  check_begun(bytes, header);
}
