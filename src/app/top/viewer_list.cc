#include "app/top/viewer_list.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "base/unique_fd.h"

namespace app {

namespace {

constexpr std::size_t kMaxResponse = std::size_t{64} << 20;  // 500,000 connections

/// The loopback address, if the server listens on all addresses.
server::Endpoint reachable(server::Endpoint server) {
  const auto address = server.address.text();
  if (address == "::") server.address = *server::Address::parse("::1");
  if (address == "0.0.0.0") server.address = *server::Address::parse("127.0.0.1");
  return server;
}

base::Error failed(int error) { return {std::strerror(error)}; }

/// The whole response.
base::Result<std::string> get(const server::Endpoint& server, std::string_view path) {
  const auto address = reachable(server).socket_address();
  const auto* const generic = reinterpret_cast<const sockaddr*>(&address);
  const base::UniqueFd socket{::socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  constexpr timeval kPatience{.tv_sec = 1, .tv_usec = 0};
  for (const int limit : {SO_SNDTIMEO, SO_RCVTIMEO})
    ::setsockopt(socket.get(), SOL_SOCKET, limit, &kPatience, sizeof kPatience);
  const socklen_t length =
      address.ss_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  if (::connect(socket.get(), generic, length) < 0) return failed(errno);
  const auto request = fmt::format("GET {} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", path,
                                   server::reachable_text(server));
  if (::send(socket.get(), request.data(), request.size(), MSG_NOSIGNAL) < 0) return failed(errno);
  std::string response;
  std::array<char, 65536> bytes;
  while (response.size() < kMaxResponse) {
    const auto read = ::recv(socket.get(), bytes.data(), bytes.size(), 0);
    if (read < 0) return failed(errno);
    if (read == 0) return response;
    response.append(bytes.data(), static_cast<std::size_t>(read));
  }
  return base::Error{"the response is too long"};
}

}  // namespace

base::Result<ViewerList> parse_viewers(std::string_view response) {
  constexpr std::string_view kOk = "HTTP/1.1 200 ";
  constexpr std::string_view kHeadEnd = "\r\n\r\n";
  const auto body = response.find(kHeadEnd);
  if (body == std::string_view::npos) return base::Error{"no HTTP response"};
  if (!response.starts_with(kOk)) {
    return base::Error{std::string{response.substr(0, response.find('\r'))}};
  }
  try {
    const auto all = nlohmann::json::parse(response.substr(body + kHeadEnd.size()));
    ViewerList viewers;
    for (const auto& c : all.at("connections")) {
      viewers[c.at("peer").get<std::string>()] = {.id = c.at("viewer").get<std::uint64_t>(),
                                                  .stream = c.at("stream").get<std::string>(),
                                                  .format = c.at("format").get<std::string>()};
    }
    return viewers;
  } catch (const nlohmann::json::exception&) {
    return base::Error{"it is another version's response"};
  }
}

base::Result<ViewerList> viewer_list(const server::Endpoint& server) {
  const auto response = get(server, "/api/v1/connections");
  if (!response) return base::Error{response.error()};
  return parse_viewers(*response);
}

void name_viewers(std::vector<Connection>& connections, const ViewerList& viewers) {
  for (auto& connection : connections) {
    const auto found = viewers.find(connection.peer.text());
    if (found != viewers.end()) connection.viewer = found->second;
  }
}

}  // namespace app
