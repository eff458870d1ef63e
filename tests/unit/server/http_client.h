#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/unique_fd.h"
#include "server/address.h"

/// A blocking HTTP client on a real socket, as simple as a bad player. Gives up after 5 s.
class HttpClient {
 public:
  explicit HttpClient(const server::Endpoint& to, int receive_buffer = 0);

  void send(std::string_view text);
  void get(const std::string& path, const std::string& headers = "");

  std::string read_head();                ///< through the empty line
  std::string read_exactly(std::size_t);  ///< less at the end of file
  std::string read_to_end();
  std::string read_page();  ///< head and the body that Content-Length announces
  /// `count` bytes of a chunked body; less when the last chunk has come.
  std::string read_chunked(std::size_t count);
  bool ended() const { return ended_; }  ///< by the last chunk
  bool at_end();                         ///< the server has closed

  void shutdown();
  int fd() const { return fd_.get(); }

 private:
  bool fill();

  base::UniqueFd fd_;
  std::string buffer_;
  std::size_t chunk_left_ = 0;
  bool ended_ = false;
};
