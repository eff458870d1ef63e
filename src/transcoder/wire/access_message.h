#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"

/// Calls that the daemon makes for a source's process, on channels of their own: a request, then
/// its answer. Decoding refuses all values outside their bounds, and encode() throws
/// std::length_error for addresses, names and data of a wrong size.
namespace transcoder::wire {

inline constexpr std::size_t kMaxAddress = 128;   ///< bytes; sockaddr_storage
inline constexpr std::size_t kMaxPayload = 2048;  ///< bytes; a datagram of SRT or RTCP fits
inline constexpr std::size_t kMaxName = 255;      ///< bytes; of a host (RFC 1035, 2.3.4)
inline constexpr std::size_t kMaxScheme = 32;     ///< bytes; of a URI
inline constexpr std::size_t kMaxPath = 4096;     ///< bytes; of a URI
inline constexpr std::size_t kMaxFound = 16;      ///< addresses of a host

/// A sockaddr of at least its family.
using SocketAddress = std::vector<std::uint8_t>;

/// connect(2) of the descriptor that comes with the message.
struct Connect {
  SocketAddress address;
};

/// bind(2) of the descriptor that comes with the message.
struct Bind {
  SocketAddress address;
};

/// sendto(2) on the descriptor that comes with the message.
struct SendTo {
  SocketAddress address;
  std::vector<std::uint8_t> payload;
};

/// getaddrinfo(3) of a host's name. No descriptor, as in MayOpen.
struct Lookup {
  std::string name;
};

/// Whether the source may open a URI at this place.
struct MayOpen {
  std::string scheme;
  std::string host;
  int port = 0;
  std::string path;
};

using AccessRequest = std::variant<Connect, Bind, SendTo, Lookup, MayOpen>;

/// The call succeeded, or the URI may be opened.
struct Done {
  std::size_t bytes = 0;  ///< sent by SendTo
};

/// The call failed.
struct Failed {
  int error = 0;  ///< errno; of Lookup a value of getaddrinfo(3), which is negative
};

/// The answer to Lookup.
struct Found {
  std::vector<SocketAddress> addresses;  ///< at most kMaxFound
};

/// The policy forbids it.
struct Refused {
  std::string reason;
};

using AccessAnswer = std::variant<Done, Failed, Found, Refused>;

std::vector<std::uint8_t> encode(AccessRequest message);
std::vector<std::uint8_t> encode(AccessAnswer message);

base::Result<AccessRequest> decode_access_request(std::span<const std::uint8_t> bytes);
base::Result<AccessAnswer> decode_access_answer(std::span<const std::uint8_t> bytes);

}  // namespace transcoder::wire
