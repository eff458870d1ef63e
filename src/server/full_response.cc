#include "server/full_response.h"

#include <utility>

namespace server {

namespace {

class ReadyResponse final : public StreamingResponse {
 public:
  explicit ReadyResponse(FullResponse response) : response_{std::move(response)} {}
  Chunk next(ResponseConnection&, base::Time) override {
    return {.head = std::move(response_.head), .body = std::move(response_.body), .complete = true};
  }

 private:
  FullResponse response_;
};

}  // namespace

FullResponse full_response(ResponseHead head, std::vector<SharedBytes> body) {
  std::size_t size = 0;
  for (const auto& bytes : body) size += bytes.bytes.size();
  head.length = size;
  return {std::move(head), std::move(body)};
}

FullResponse text_response(int status, std::string content_type, std::string body) {
  return full_response({.status = status, .content_type = std::move(content_type)},
                       {SharedBytes::of(std::move(body))});
}

FullResponse error_response(int status, const std::string& what) {
  return text_response(status, ResponseHead{}.content_type, what + "\n");
}

std::unique_ptr<StreamingResponse> respond_with(FullResponse response) {
  return std::make_unique<ReadyResponse>(std::move(response));
}

}  // namespace server
