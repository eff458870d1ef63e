#pragma once

#include <memory>
#include <string>
#include <vector>

#include "server/streaming_response.h"

namespace server {

/// A response that is complete before any of it is sent.
struct FullResponse {
  ResponseHead head;
  std::vector<SharedBytes> body;
};

/// With the body's length in its head.
FullResponse full_response(ResponseHead head, std::vector<SharedBytes> body);
FullResponse text_response(int status, std::string content_type, std::string body);
/// A line of plain text that says what is wrong.
FullResponse error_response(int status, const std::string& what);

/// Sends it at once.
std::unique_ptr<StreamingResponse> respond_with(FullResponse response);

}  // namespace server
