#include "http_client.h"

#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "base/system_error.h"

using base::check;

namespace {

/// Repeats a system call with a timeout that a stop of the process has interrupted (signal(7)).
template <typename Call>
ssize_t uninterrupted(Call call) {
  for (;;) {
    const ssize_t result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

}  // namespace

HttpClient::HttpClient(const server::Endpoint& to, int receive_buffer) {
  auto address = to.socket_address();
  fd_.reset(check("socket", socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0)));
  const timeval timeout{.tv_sec = 60, .tv_usec = 0};
  setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  if (receive_buffer > 0) {
    setsockopt(fd_.get(), SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  }
  check("connect " + to.text(),
        connect(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address));
}

void HttpClient::send(std::string_view text) {
  while (!text.empty()) {
    const auto sent =
        uninterrupted([&] { return ::send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL); });
    if (sent <= 0) return;  // the server may reject a request before it has read all of it
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void HttpClient::get(const std::string& path, const std::string& headers) {
  send("GET " + path + " HTTP/1.1\r\nHost: test\r\n" + headers + "\r\n");
}

bool HttpClient::fill() {
  std::array<char, 65536> bytes;
  const auto got = uninterrupted([&] { return recv(fd_.get(), bytes.data(), bytes.size(), 0); });
  if (got <= 0) return false;
  buffer_.append(bytes.data(), static_cast<std::size_t>(got));
  return true;
}

std::string HttpClient::read_head() {
  std::size_t end = 0;
  while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
    if (!fill()) return std::exchange(buffer_, {});
  }
  const std::string head = buffer_.substr(0, end + 4);
  buffer_.erase(0, end + 4);
  return head;
}

std::string HttpClient::read_exactly(std::size_t count) {
  while (buffer_.size() < count && fill()) {
  }
  const std::string bytes = buffer_.substr(0, count);
  buffer_.erase(0, count);
  return bytes;
}

std::string HttpClient::read_to_end() {
  while (fill()) {
  }
  return std::exchange(buffer_, {});
}

std::string HttpClient::read_page() {
  const std::string head = read_head();
  const auto length = head.find("Content-Length: ");
  if (length == std::string::npos) return head;
  return head + read_exactly(std::strtoul(&head[length + 16], nullptr, 10));
}

std::string HttpClient::read_chunked(std::size_t count) {
  std::string body;
  while (body.size() < count && !ended_) {
    if (chunk_left_ == 0) {
      std::size_t end = 0;
      while ((end = buffer_.find("\r\n")) == std::string::npos) {
        if (!fill()) return body;
      }
      chunk_left_ = std::strtoul(buffer_.c_str(), nullptr, 16);
      buffer_.erase(0, end + 2);
      ended_ = chunk_left_ == 0;
      if (ended_) read_exactly(2);
      continue;
    }
    if (buffer_.empty() && !fill()) return body;
    const auto part = std::min({chunk_left_, buffer_.size(), count - body.size()});
    body += buffer_.substr(0, part);
    buffer_.erase(0, part);
    chunk_left_ -= part;
    if (chunk_left_ == 0) read_exactly(2);
  }
  return body;
}

bool HttpClient::at_end() {
  char byte = 0;
  return buffer_.empty() && uninterrupted([&] { return recv(fd_.get(), &byte, 1, 0); }) == 0;
}

void HttpClient::shutdown() { ::shutdown(fd_.get(), SHUT_WR); }
