#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/unique_fd.h"
#include "server/address.h"

/// A blocking HTTP client on a real socket, as simple as a bad player. Gives up after 60 s.
class HttpClient {
 public:
  explicit HttpClient(const server::Endpoint& to, int receive_buffer = 0);

  void send(std::string_view text);
  void get(const std::string& path, const std::string& headers = "");

  std::string read_head();                ///< up to and including the empty line
  std::string read_exactly(std::size_t);  ///< or less, up to the end of file
  std::string read_to_end();
  std::string read_page();  ///< head and body; needs a Content-Length
  /// `count` bytes of a chunked body, or less, up to the last chunk.
  std::string read_chunked(std::size_t count);
  bool ended() const { return ended_; }  ///< the last chunk has been read
  bool at_end();                         ///< the server has closed the connection

  void shutdown();
  int fd() const { return fd_.get(); }

 private:
  bool fill();

  base::UniqueFd fd_;
  std::string buffer_;
  std::size_t chunk_left_ = 0;
  bool ended_ = false;
};
