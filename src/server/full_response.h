#pragma once

#include <memory>
#include <string>
#include <vector>

#include "server/streaming_response.h"

namespace server {

/// A response that is complete before its first byte is sent. A value.
struct FullResponse {
  ResponseHead head;
  std::vector<SharedBytes> body;
};

/// Sets the head's length to that of the body.
FullResponse full_response(ResponseHead head, std::vector<SharedBytes> body);
FullResponse text_response(int status, std::string content_type, std::string body);
/// One line of plain text, which says what is wrong and what to do.
FullResponse error_response(int status, const std::string& what);

/// A StreamingResponse that sends `response` at once.
std::unique_ptr<StreamingResponse> respond_with(FullResponse response);

}  // namespace server
