#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "base/units.h"
#include "netlab/chunk_decoder.h"
#include "netlab/http_response.h"

namespace netlab {

/// Where to connect and what to request.
struct Target {
  sockaddr_storage address{};
  socklen_t address_size = 0;
  std::string host;  ///< as in the URL
  std::string path;
};

/// Throws std::runtime_error if `url` is not http://HOST[:PORT][/PATH] or HOST does not resolve.
Target resolve(const std::string& url);

/// One GET whose body is read at the speed and for the time that the settings allow. Non-blocking;
/// the owner polls fd() for interest() and calls on_ready(). An error ends it and stays in state().
class Connection {
 public:
  static constexpr std::size_t kReadSize = 256 * 1024;  ///< bytes that a read takes at most

  struct Settings {
    bool http_1_0 = false;
    std::optional<int> rcvbuf{};               ///< SO_RCVBUF in bytes
    std::optional<base::BitRate> read_rate{};  ///< upper limit, of TCP payload
    /// With a rate: bytes that a read takes at least. One TCP segment, as an application with a
    /// buffer does; at most kReadSize.
    std::size_t read_piece = 1448;
    std::optional<base::Duration> stop_after{};  ///< stops reading after this time
    bool discard = false;                        ///< counts the body without copying it
  };
  using Body = std::function<void(std::span<const std::uint8_t>, base::Time arrival)>;

  struct State {
    base::Time started{};
    std::optional<base::Time> first_byte{};
    std::optional<base::Time> closed{};  ///< by the server or by an error
    std::string error{};                 ///< empty if there was none
    int status = 0;
    bool chunked = false;
    bool complete = false;    ///< the response ended as HTTP requires
    std::uint64_t bytes = 0;  ///< TCP payload, HTTP framing included
  };

  Connection(const Target& target, Settings settings, Body body, base::Time now);

  int fd() const { return fd_.get(); }
  bool open() const { return !state_.closed; }
  std::uint32_t interest(base::Time now) const;  ///< epoll events
  void on_ready(base::Time now);
  const State& state() const { return state_; }

 private:
  void send_request();
  std::size_t allowance(base::Time now) const;
  void read(base::Time now);
  void take(std::span<const std::uint8_t> bytes, base::Time now);
  void close(base::Time now, int error);

  Settings settings_;
  Body body_;
  base::UniqueFd fd_;
  std::string request_;  // the part not yet sent
  State state_;
  HttpResponse response_;
  base::Time now_{};  // arrival of the bytes being decoded
  ChunkDecoder chunks_;
};

}  // namespace netlab
