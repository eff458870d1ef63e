#pragma once

#include <functional>
#include <string>
#include <vector>

#include "server/address.h"

/// What is served at one fixed path: made in one go, from the request alone.
namespace server {

struct PageRequest {
  std::string path;
  std::string query;
  Address address;
  bool gzip = false;  ///< a body in that coding is understood
};

struct Page {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
  std::string cache_control = "no-store";
  std::vector<std::string> fields{};  ///< further ones: "Name: value"
  bool media = false;                 ///< pages of other origins may use it: Settings::cors_allow
};

/// Called on any loop thread, which waits for it: quick, and thread-safe.
using PageHandler = std::function<Page(const PageRequest&)>;

enum class Access { kPublic, kAdmin };  ///< kAdmin: 403 for clients outside admin_allow

}  // namespace server
