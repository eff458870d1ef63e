#include "server/other_protocol.h"

#include "server/proxy_protocol.h"

namespace server {

std::optional<OtherProtocol> other_protocol(std::string_view bytes) {
  using namespace std::string_view_literals;
  // The version in C0 (Adobe, "RTMP 1.0", 5.2.2); 6 is the encrypted RTMPE.
  if (bytes.starts_with('\x03') || bytes.starts_with('\x06')) {
    return OtherProtocol{"RTMP",
                         "RTMP publishing is not supported: publish by SRT, to a stream with "
                         "source = \"srt://:PORT\""};
  }
  // A record with a handshake, of any version (RFC 8446, 5.1).
  if (bytes.starts_with("\x16\x03"sv)) {
    return OtherProtocol{"TLS", "this port has no TLS: use http:// instead of https://"};
  }
  if (bytes.starts_with("PRI * HTTP/2.0\r\n"sv)) {
    return OtherProtocol{"HTTP/2", "use HTTP/1.1, also between a proxy and this server"};
  }
  if (parse_proxy_header(bytes).status == ProxyHeader::Status::kComplete) {
    return OtherProtocol{"PROXY",
                         "if this proxy is yours, add its address to server.proxy_protocol"};
  }
  const auto first_line = bytes.substr(0, bytes.find('\r'));
  if (first_line.ends_with(" RTSP/1.0") || first_line.ends_with(" RTSP/2.0")) {
    return OtherProtocol{"RTSP", "this server does not serve RTSP: play http://HOST:PORT/NAME.ts"};
  }
  return std::nullopt;
}

}  // namespace server
