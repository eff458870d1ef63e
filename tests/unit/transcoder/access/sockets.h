#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "base/address.h"
#include "base/unique_fd.h"

namespace transcoder::access {

/// The socket address, as a source's process sends it.
inline std::vector<std::uint8_t> bytes(const base::Endpoint& endpoint) {
  const auto raw = endpoint.socket_address();
  const auto* const begin = reinterpret_cast<const std::uint8_t*>(&raw);
  return {begin, begin + (endpoint.address.is_ipv4() ? 16 : 28)};
}

inline std::vector<std::uint8_t> bytes(const char* endpoint) {
  return bytes(*base::Endpoint::parse(endpoint));
}

inline base::UniqueFd make_socket(int type, int family = AF_INET) {
  return base::UniqueFd{::socket(family, type | SOCK_CLOEXEC, 0)};
}

/// A socket on a port of 127.0.0.1 that accepts connections or datagrams.
struct Listener {
  explicit Listener(int type) : fd{make_socket(type)} {
    auto raw = base::Endpoint::parse("127.0.0.1:0")->socket_address();
    auto* const generic = reinterpret_cast<sockaddr*>(&raw);
    socklen_t size = 16;
    EXPECT_EQ(::bind(fd.get(), generic, size), 0);
    if (type == SOCK_STREAM) {
      EXPECT_EQ(::listen(fd.get(), 5), 0);
    }
    EXPECT_EQ(::getsockname(fd.get(), generic, &size), 0);
    endpoint = base::Endpoint::of(raw);
  }

  base::UniqueFd fd;
  base::Endpoint endpoint;
};

}  // namespace transcoder::access
