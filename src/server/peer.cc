#include "server/peer.h"

#include <cstddef>
#include <utility>

#include "server/http_request_parser.h"
#include "server/proxy_protocol.h"

namespace server {

namespace {

// Extensions of a header tell the TLS certificate, at most.
constexpr std::size_t kMaxProxyHeader = 4096;

}  // namespace

std::optional<std::string> Peer::begin(std::string_view bytes) {
  using Status = ProxyHeader::Status;
  first_ += bytes;
  const auto header = parse_proxy_header(first_);
  if (header.status == Status::kInvalid || header.status == Status::kNone) return std::nullopt;
  if (header.status == Status::kIncomplete) {
    return first_.size() < kMaxProxyHeader ? std::optional{std::string{}} : std::nullopt;
  }
  if (header.size > kMaxProxyHeader) return std::nullopt;  // also if it came at once
  begun_ = true;
  forwarded_client_ = header.client;
  nameless_ = !forwarded_client_;
  first_.erase(0, header.size);
  return std::exchange(first_, {});
}

Client Peer::client(const HttpRequest& request) const {
  auto client = client_of(request, address_, forwarded_client_, trusted_);
  if (nameless_) {  // the headers are the client's own
    client.address = address_;
    client.proxy = Proxy::kUnknown;
    client.proxy_sign = "PROXY";
  }
  return client;
}

}  // namespace server
