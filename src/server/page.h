#pragma once

#include <functional>
#include <string>
#include <vector>

#include "server/client.h"
#include "server/output_queue.h"

/// Pages: complete responses at fixed paths, made from the request alone.
namespace server {

struct PageRequest {
  std::string path;
  std::string query;
  Client client;
  bool gzip = false;  ///< the client accepts a gzip body
};

struct Page {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  SharedBytes body{};  ///< sent from where it is, without a copy for each client
  std::string cache_control = "no-store";
  std::vector<std::string> fields{};  ///< other header fields: "Name: value"
  bool media = false;                 ///< sent with the CORS fields of Settings::cors_allow
};

/// Called on any loop thread and blocks it, so it must be fast and thread-safe. If it throws, the
/// client receives 500.
using PageHandler = std::function<Page(const PageRequest&)>;

enum class Access { kPublic, kAdmin };  ///< kAdmin: 403 unless AdminAccess permits it

}  // namespace server
